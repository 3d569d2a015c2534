"""The catalogues of the raters' pages: their messages, their files, and texts that are not marked.

Babel reads and writes the files, so that GNU gettext is not needed. It is a requirement of
development only: the compiled catalogues are a part of the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.template import Context, Engine
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import to_locale

ORIGINAL = settings.LANGUAGE_CODE
TEMPLATES = Path("templates")
# All that raters see. What researchers see in a preview is English.
RATER_TEMPLATES = (
    "annotation/rating/*.html",
    "pages/_theme.html",
    "pages/_turns.html",
    "annotation/crowds/_task_notice.html",
    "annotation/crowds/finish.html",
    "annotation/crowds/task_closed.html",
    "annotation/crowds/welcome.html",
)
RESEARCHER_TEMPLATES = ("annotation/rating/_preview.html", "annotation/rating/preview_empty.html")
SOURCES = ("annotation", "core/pages")
KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
# Names, and signs that are the same in every language.
UNTRANSLATED = {"Backspace", "Concord", "Enter", "x"}
HEADERS = ("Language", "Plural-Forms", "MIME-Version", "Content-Type", "Content-Transfer-Encoding")
_COMMENTS = re.compile(r"<!--.*?-->|<script>.*?</script>|<style>.*?</style>", re.DOTALL)
_TEXT = re.compile(r">([^<>]*)(?=<|\Z)")
_ATTRIBUTE = re.compile(r"\b(?:aria-label|title|alt|placeholder)=\"([^\"]*)\"")
_WORD = re.compile(r"[^\W\d_]{1,}")


class _WrittenCatalog(Catalog):
    """Without times and versions in its header, a file changes only with its texts."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [header for header in super().mime_headers if header[0] in HEADERS]


def languages() -> list[str]:
    """The languages that have a catalogue: all but the original."""
    return [code for code, _ in settings.LANGUAGES if code != ORIGINAL]


def po_file(language: str) -> Path:
    (folder,) = settings.LOCALE_PATHS
    return Path(folder) / to_locale(language) / "LC_MESSAGES" / "django.po"


def rater_templates() -> list[str]:
    """The names of the templates that raters see."""
    root = settings.BASE_DIR / TEMPLATES
    names = (path.relative_to(root).as_posix() for path in sorted(root.glob("**/*.html")))
    return [
        name
        for name in names
        if name not in RESEARCHER_TEMPLATES and any(fnmatch(name, one) for one in RATER_TEMPLATES)
    ]


def messages() -> Catalog:
    """All messages of the raters' templates and of the code, without translations."""
    catalog = Catalog(project="Concord", fuzzy=False)
    for name in rater_templates():
        for id, context in _template_messages(name):
            catalog.add(id, locations=[(f"templates/{name}", 0)], context=context)
    for folder in SOURCES:
        for path in sorted((settings.BASE_DIR / folder).rglob("*.py")):
            calls = extract_from_file("python", path, KEYWORDS, ["Translators:"], None, True)
            for _, message, comments, context in calls:
                where = (path.relative_to(settings.BASE_DIR).as_posix(), 0)
                catalog.add(message, locations=[where], auto_comments=comments, context=context)
    return catalog


def read(language: str) -> Catalog:
    """The catalogue of a language as its file has it; empty without one."""
    locale, path = to_locale(language), po_file(language)
    if not path.exists():
        return Catalog(locale=locale, project="Concord", fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=locale)


def update(language: str) -> list[str]:
    """Write the language's catalogue anew and compile it; the messages without a translation."""
    old, path = read(language), po_file(language)
    catalog = _WrittenCatalog(
        locale=to_locale(language),
        header_comment="# The raters' pages of Concord. `manage.py translations` writes this file.",
        fuzzy=False,
    )
    for message in messages():
        if message.id:
            known = old.get(message.id, message.context)
            catalog.add(
                message.id,
                known.string if known and type(known.id) is type(message.id) else None,
                locations=message.locations,
                auto_comments=message.auto_comments,
                context=message.context,
            )
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalog, width=100, sort_by_file=True, include_lineno=False)
    with path.with_suffix(".mo").open("wb") as file:
        write_mo(file, read(language))
    return missing(catalog)


def missing(catalog: Catalog) -> list[str]:
    """The messages that have no translation, or not all plural forms."""
    return [
        message.id if isinstance(message.id, str) else message.id[0]
        for message in catalog
        if message.id and not (message.string and all(message.string))
    ]


def unmarked(name: str) -> list[str]:
    """Texts of a template that are not marked for translation."""
    return unmarked_in((settings.BASE_DIR / TEMPLATES / name).read_text())


def unmarked_in(source: str) -> list[str]:
    return list(_unmarked(_COMMENTS.sub("", _without_tags(source))))


def _without_tags(source: str) -> str:
    """The template without its tags, variables, comments and marked texts."""
    source = re.sub(r"{% comment %}.*?{% endcomment %}|{#.*?#}", "", source, flags=re.DOTALL)
    source = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", source, flags=re.DOTALL)
    return re.sub(r"{%.*?%}|{{.*?}}|\${.*?}", "", source, flags=re.DOTALL)


def _unmarked(html: str) -> Iterator[str]:
    for text in (*_TEXT.findall(">" + html), *_ATTRIBUTE.findall(html)):
        words = " ".join(text.split())
        if words not in UNTRANSLATED and _WORD.search(words.replace("Concord", "")):
            yield words


def _template_messages(name: str) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    """The messages of a template, with their contexts."""
    nodes: Any = Engine.get_default().get_template(name).nodelist  # Django's nodes have no types
    for plain in nodes.get_nodes_by_type(TranslateNode):
        text = plain.filter_expression.var.literal.replace("%", "%%")
        yield text, _context_of(plain)
    for block in nodes.get_nodes_by_type(BlockTranslateNode):
        singular, _ = block.render_token_list(block.singular)
        if block.plural:
            yield (singular, block.render_token_list(block.plural)[0]), _context_of(block)
        else:
            yield singular, _context_of(block)


def _context_of(node: TranslateNode | BlockTranslateNode) -> str | None:
    context = node.message_context
    return None if context is None else context.resolve(Context())
