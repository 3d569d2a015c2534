"""The template tag of a scatter plot's marks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from benchmarks.templatetags.figures import decimals, interval
from concord.sentences import counted

if TYPE_CHECKING:
    from benchmarks.boards.views.scatter import ScatterPlot

register = template.Library()

SQUARE = (
    '<rect class="square shade-{}" x="{}" y="{}" width="{}" height="{}">'
    "<title>{}: {} {}, {} {}</title></rect>"
)
POINT = '<circle class="point" cx="{}" cy="{}" r="4"><title>{}: {} {}, {} {}</title></circle>'
LINK = '<a href="{}" tabindex="-1" aria-label="{}">{}</a>'


@register.simple_tag
def scatter_marks(
    plot: ScatterPlot, x_label: str, y_label: str, linked: bool, ref: str
) -> SafeString:
    """The squares and points of a plot; if `linked`, points link to their candidates of a set.

    Without white space between them: there are hundreds on a page.
    """
    x_name = x_label or "people"
    return format_html_join(
        "", "{}", ((mark,) for mark in _marks(plot, x_name, y_label, ref if linked else ""))
    )


def _marks(plot: ScatterPlot, x_name: str, y_name: str, ref: str) -> Iterator[SafeString]:
    for one in plot.squares:
        box = (one.shade, one.x, one.y, one.width, one.height, counted(one.count, "candidate"))
        yield format_html(
            SQUARE, *box, x_name, interval(one.gold, 2), y_name, interval(one.score, 3)
        )
    for point in plot.points:
        at, key = point.position, point.key
        values = (x_name, decimals(point.gold, 2), y_name, decimals(point.score, 3))
        circle = format_html(POINT, at.x, at.y, key, *values)
        if ref:
            circle = format_html(LINK, reverse("candidate", args=[ref, key]), key, circle)
        yield circle
