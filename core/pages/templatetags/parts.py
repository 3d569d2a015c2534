"""Parts that recur on pages: tables, facts, and a figure from 0 to 1 as a dot with its interval.

Templates need not load them (`OPTIONS["builtins"]` in the settings).
"""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from concord.plots import IntervalScale

register = template.Library()

NUMERIC = SafeString(' class="num"')
HIDDEN = SafeString(' class="visually-hidden"')
#: Of agreement, correlations and shares; negative figures lie at its left end.
SCALE = IntervalScale.from_range(0, 1)


@register.inclusion_tag("pages/_interval.html")
def dot(
    value: float | None, ci: Sequence[float] | None, kind: str = "metric", line: float | None = None
) -> dict[str, object]:
    """A value from 0 to 1 as a dot, with its interval as a bar; an empty grid without a value.

    kind: whose it is, for the colour: "metric" or "people". line: a value that the dots are
    compared with, drawn as a line.
    """
    mark = None
    if value is not None:
        mark = SCALE.mark(max(0.0, value), ci and [max(0.0, end) for end in ci])
    reference = None if line is None else SCALE.axis.to_pixel(max(0.0, line))
    return {"scale": SCALE, "mark": mark, "kind": kind, "reference": reference}


@register.inclusion_tag("pages/_ticks.html")
def dot_axis() -> dict[str, object]:
    """The axis of `dot`."""
    return {"scale": SCALE}


@register.simple_block_tag
def table(
    content: SafeString, caption: str, *headings: str, style: str = "dense", shown: bool = False
) -> SafeString:
    """Rows as a table that scrolls on narrow screens.

    headings: of the columns; those of numbers begin with "#", which is not shown, and are aligned
    to the right. style: classes of the table. shown: whether the caption is visible.
    """
    columns = format_html_join(
        "",
        '<th scope="col"{}>{}</th>',
        ((NUMERIC if str(one).startswith("#") else "", str(one).removeprefix("#"))
         for one in headings),
    )  # fmt: skip
    return format_html(
        '<div class="scroll" tabindex="0" role="region" aria-label="{}"><table class="{}">'
        "<caption{}>{}</caption><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
        caption,
        style,
        "" if shown else HIDDEN,
        caption,
        columns,
        content,
    )


@register.simple_block_tag
def fact(content: SafeString, name: str) -> SafeString:
    """A name and its value, in a `dl`."""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", name, content)
