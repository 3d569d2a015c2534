"""The id of the request, for pages of errors."""

from __future__ import annotations

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.logs import context

register = Library()


@register.simple_tag
def request_id_note() -> SafeString:
    """A sentence with the id by which the log lines of this request are found."""
    return format_html(
        '<p class="quiet">Quote this number when you report the problem: <code>{}</code></p>',
        context.request_id.get(),
    )
