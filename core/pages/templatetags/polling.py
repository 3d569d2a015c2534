"""The template tag `polled`: an element that htmx reloads while a background job runs."""

from __future__ import annotations

import json

from django.template import Context, Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from core.pages.polling import CSRF_FIELD, etag_of, set_etag

register = Library()


@register.simple_block_tag(takes_context=True)
def polled(
    context: Context,
    content: SafeString,
    element_id: str,
    address: str,
    is_active: object,
    seconds: int = 2,
) -> SafeString:
    """Wrap the block in a `div` that htmx loads from `address` every `seconds` while `is_active`.

    The view at `address` answers htmx with this element only (`core.pages.polling.render_page`).
    Polling ends when `is_active` is false. An unchanged element is not replaced. When it is
    replaced, focus stays on an element with an `id`, elements with `hx-preserve` stay as they are,
    and open `details` close.
    """
    if not is_active:
        return format_html('<div id="{}">{}</div>', element_id, content)
    token = str(context["csrf_token"]) if CSRF_FIELD in content else ""
    etag = etag_of(f"{element_id} {address} {seconds} {content}", token)
    set_etag(context["request"], etag)
    return format_html(
        '<div id="{}" hx-get="{}" hx-trigger="every {}s" hx-swap="outerHTML" hx-headers="{}">'
        "{}</div>",
        element_id,
        address,
        seconds,
        json.dumps({"If-None-Match": etag}),
        content,
    )
