"""Template filters of the raters' pages."""

from __future__ import annotations

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def exact_text(text: str) -> SafeString:
    """A text of which the page keeps every character, so that places in it can be counted.

    A browser reads a carriage return as a line feed unless it is written as a reference.
    """
    return mark_safe(escape(text).replace("\r", "&#13;"))
