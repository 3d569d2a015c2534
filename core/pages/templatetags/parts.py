"""Parts that recur on pages: a figure between 0 and 1 as a dot with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from django import template

from concord.plots import IntervalScale

register = template.Library()

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
