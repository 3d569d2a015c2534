"""A picture of figures with their intervals, as an SVG file that needs no stylesheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from concord.plots.intervals import IntervalScale
from concord.plots.matrices import LETTER, shorten
from concord.sentences import decimal, figure_text

ROW, HEAD, FOOT = 22, 56, 12
SCALE_WIDTH, VALUE_WIDTH = 320, 170
# The colours of the site's printed plots.
_STYLE = (
    "text{font:11px system-ui,Helvetica,Arial,sans-serif;fill:#1b1f24}"
    ".heading{font-size:13px;font-weight:600}.quiet{fill:#57606a}"
    ".grid{stroke:#d9dde1}.zero{stroke:#8b949e}"
    ".whisker{stroke:#0068a8;stroke-width:2}.dot{fill:#0068a8}"
)

ForestRow = tuple[str, float | None, Sequence[float] | None]
"""A name, its figure and the ends of its interval; None where there is none."""


@dataclass(frozen=True)
class IntervalPlot:
    """Figures with their intervals, a row each. figure: the name of the figures. zero: whether
    their scale has 0. digits: after the point."""

    figure: str
    rows: Sequence[ForestRow]
    zero: bool = True
    digits: int = 3

    def svg(self, title: str) -> str:
        """Dots with intervals on one scale. title: what the rows are of. Rows without a figure have
        the word "undefined". Long names are shortened."""
        return _svg(title, self)


def _svg(title: str, forest: IntervalPlot) -> str:
    rows, digits = forest.rows, forest.digits
    names = [shorten(name) for name, _, _ in rows]
    left = round(max(map(len, names), default=0) * LETTER) + 16
    scale = IntervalScale.from_intervals(
        [ends or (value, value) for _, value, ends in rows if value is not None],
        zero=forest.zero,
        width=SCALE_WIDTH,
    )
    bottom = HEAD + ROW * len(rows)
    parts = [
        f'<line class="grid{" zero" if tick.is_zero else ""}" x1="{left + tick.at:g}" '
        f'x2="{left + tick.at:g}" y1="{HEAD - 4}" y2="{bottom}"/>'
        f'<text class="quiet" x="{left + tick.at:g}" y="{HEAD - 10}" text-anchor="middle">'
        f"{escape(tick.label)}</text>"
        for tick in scale.ticks
    ]
    for at, (name, (_, value, ends)) in enumerate(zip(names, rows, strict=True)):
        y = HEAD + ROW * at + ROW / 2
        shown = decimal(value, digits)
        if value is not None:
            mark = scale.mark(value, ends)
            if ends is not None and mark.low is not None and mark.high is not None:
                low, high = left + mark.low, left + mark.high
                parts.append(
                    f'<line class="whisker" x1="{low:g}" x2="{high:g}" y1="{y:g}" y2="{y:g}"/>'
                )
                shown = figure_text(value, ends, digits)
            parts.append(f'<circle class="dot" cx="{left + mark.at:g}" cy="{y:g}" r="4"/>')
        parts.append(
            f'<text x="{left - 6}" y="{y:g}" dy="4" text-anchor="end">{escape(name)}</text>'
            f'<text x="{left + SCALE_WIDTH + 8}" y="{y:g}" dy="4">{shown}</text>'
        )
    width, height = left + SCALE_WIDTH + VALUE_WIDTH, bottom + FOOT
    heading = f"{title}: {forest.figure}" if title else forest.figure
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img"><title>{escape(heading)}</title>'
        f'<style>{_STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>'
        f'<text class="heading" x="8" y="20">{escape(heading)}</text>{"".join(parts)}</svg>\n'
    )
