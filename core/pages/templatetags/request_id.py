"""The request id for error pages."""

from __future__ import annotations

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from core.logs import context

register = Library()


@register.simple_tag
def request_id_note() -> SafeString:
    """A sentence with the request id, which is also in the log lines."""
    return format_html(
        '<p class="quiet">{} <code>{}</code></p>',
        gettext("To report this problem, quote the request number"),
        context.request_id.get(),
    )
