"""The tag `{% term "ledger" %}`: a word with its definition, linked to the glossary."""

from __future__ import annotations

from django.template import Library
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import slugify

from config.documentation.directives import definitions

register = Library()


@register.simple_tag
def term(name: str, label: str = "") -> SafeString:
    """The term, or `label` for it. Raises KeyError for a term that the glossary does not have."""
    return format_html(
        '<a class="term" href="{}#term-{}" title="{}">{}</a>',
        reverse("docs-page", args=["reference/glossary.html"]),
        slugify(name),
        definitions()[name],
        label or name,
    )
