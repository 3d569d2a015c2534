"""How money, signed figures and Markdown are written on the pages of studies."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.safestring import SafeString

from annotation.markdown import render

register = template.Library()

MINUS = "\N{MINUS SIGN}"
NOTHING = "\N{EN DASH}"


@register.filter
def dollars(cents: int | None) -> str:
    """Cents as dollars: `$1,234.50`."""
    return NOTHING if cents is None else f"${cents / 100:,.2f}"


@register.filter
def cents(value: int) -> str:
    """Cents as a form takes dollars: `1234.50`."""
    return f"{value // 100}.{value % 100:02d}"


@register.filter
def signed(value: float | None, places: int = 2) -> str:
    """A number with its sign, a true minus; zero has none."""
    if value is None:
        return NOTHING
    text = f"{value:+.{places}f}"
    return f"{0:.{places}f}" if float(text) == 0 else text.replace("-", MINUS)


@register.filter
def markdown(text: str) -> SafeString:
    """Markdown as sanitised HTML."""
    return render(text)


@register.filter
def written(value: Any) -> str:
    """A protocol's value for people: yes and no, nothing as a dash, lists with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", [], ()):
        return NOTHING
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict):
        parts = [f"{name} {written(one)}" for name, one in value.items() if one not in (None, "")]
        return ", ".join(parts)
    if isinstance(value, list | tuple):
        return "; ".join(written(one) for one in value)
    return str(value)


@register.filter
def get(mapping: Any, key: Any) -> Any:
    """What a mapping holds under a key known only at run time; None where nothing."""
    return mapping.get(key) if mapping else None
