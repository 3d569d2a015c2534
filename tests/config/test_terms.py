"""Terms that pages explain where they stand: each is in the glossary, and its link leads there."""

from __future__ import annotations

import re

from django.conf import settings
from django.template import Context, Template

from config.documentation import pages
from config.documentation.directives import definitions

TERM = re.compile(r'\{% term "([^"]+)"')


def test_every_term_of_a_page_has_a_definition_and_a_place_in_the_glossary() -> None:
    found = set()
    for path in (settings.BASE_DIR / "templates").rglob("*.html"):
        found.update(TERM.findall(path.read_text("utf-8")))
    assert {"constituent", "settled value", "PERM-BOTH", "ledger", "null"} <= found
    html = pages.rendered("reference/glossary").html
    for name in found:
        link = Template(f'{{% load glossary %}}{{% term "{name}" "here" %}}').render(Context())
        (place,) = re.findall(r"glossary\.html#([\w-]+)", link)
        assert f'id="{place}"' in html
        assert definitions()[name]
        assert ">here</a>" in link


def test_definitions_have_no_marks() -> None:
    assert len(definitions()) > 80
    assert not [text for text in definitions().values() if re.search(r"[`*$\]]", text)]
