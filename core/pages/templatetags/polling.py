"""The `polled` tag: an element that htmx fetches again while the work that it shows goes on."""

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
    """Wrap the block in a `div` that is fetched from `address` every `seconds` while `is_active`.

    The view at `address` answers htmx with this element alone (`core.pages.polling.render_page`).
    Polling ends with the first answer in which `is_active` is false. An element that has not
    changed is not replaced. When it is replaced, the focus stays on an element that has an `id`,
    and what bears `hx-preserve` stays as it is; open `details` close.
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
