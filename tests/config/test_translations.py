"""The catalogues of the raters' pages: complete, compiled, and true to the placeholders."""

from __future__ import annotations

import re
from io import BytesIO

import pytest
from babel.messages import Catalog
from babel.messages.mofile import read_mo

from config import translations

PLACEHOLDERS = re.compile(r"%\(\w+\)s|<[^>]+>")


def plain(text: object) -> object:
    """As `read_po` has it: Babel reads contexts of compiled files as bytes, and forms as lists."""
    if isinstance(text, bytes):
        return text.decode()
    return tuple(text) if isinstance(text, list) else text


def strings(catalog: Catalog) -> dict[object, object]:
    """The translations by context and message."""
    return {
        (plain(message.context or None), plain(message.id)): plain(message.string)
        for message in catalog
        if message.id
    }


@pytest.mark.parametrize("name", translations.rater_templates())
def test_every_text_of_a_raters_page_is_marked_for_translation(name: str) -> None:
    assert translations.unmarked(name) == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<p>{{ name }} Send it</p>", ["Send it"]),
        ('<a aria-label="Your pages">{% translate "Send" %}</a>', ["Your pages"]),
        ("<p>{% if a %}·{% endif %} Concord {# not shown #}<b>—</b></p>", []),
        ("{% blocktranslate %}Send <b>it</b>{% endblocktranslate %}", []),
    ],
)
def test_a_text_that_is_not_marked_is_found(html: str, found: list[str]) -> None:
    assert translations.unmarked_in(html) == found


@pytest.mark.parametrize("language", translations.languages())
def test_a_catalogue_has_every_message_and_no_other(language: str) -> None:
    catalog = translations.read(language)
    assert translations.missing(catalog) == []
    assert set(strings(catalog)) == set(strings(translations.messages())), (
        "run manage.py translations"
    )


@pytest.mark.parametrize("language", translations.languages())
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    compiled = translations.po_file(language).with_suffix(".mo").read_bytes()
    assert strings(read_mo(BytesIO(compiled))) == strings(translations.read(language)), (
        "run manage.py translations"
    )


@pytest.mark.parametrize("language", translations.languages())
def test_a_translation_has_the_originals_values_and_elements(language: str) -> None:
    for message in translations.read(language):
        if not message.id:
            continue
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        expected = set(PLACEHOLDERS.findall(originals[-1]))
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        for text in texts:
            found = set(PLACEHOLDERS.findall(text))
            # A form for one or two may say the number as a word.
            words = {"%(counter)s", "%(count)s", "%(shown)s"} if len(texts) > 1 else set()
            assert expected - words <= found <= expected, text
