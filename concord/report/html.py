"""HTML of tables and plots. Texts are escaped, but for those that are `Html`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from concord.plots import IntervalScale, MatrixPlot


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def text(value: str) -> Html:
    """The text as HTML."""
    return value if isinstance(value, Html) else Html(escape(value))


def paragraph(value: str, kind: str = "") -> Html:
    """A paragraph with this class."""
    return Html(f'<p class="{kind}">{text(value)}</p>' if kind else f"<p>{text(value)}</p>")


def table(
    headers: Sequence[str], rows: Iterable[Sequence[str]], *, names: int = 1, caption: str = ""
) -> Html:
    """A table whose first `names` columns are left-aligned, the others numbers or plots."""

    def cell(tag: str, at: int, value: str) -> str:
        kind = "" if at < names else ' class="plot"' if "<svg" in value else ' class="number"'
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{kind}>{text(value)}</{tag}>"

    def line(tag: str, cells: Sequence[str]) -> str:
        return f"<tr>{''.join(cell(tag, at, value) for at, value in enumerate(cells))}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    name = f"<caption>{text(caption)}</caption>" if caption else ""
    return Html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>{name}'
        f"<thead>{line('th', headers)}</thead>\n<tbody>{body}</tbody></table></div>"
    )


def scale_head(scale: IntervalScale) -> Html:
    """The ticks of a column of intervals."""
    ticks = "".join(
        f'<text x="{tick.at}" y="12" text-anchor="middle">{escape(tick.label)}</text>'
        for tick in scale.ticks
    )
    return Html(f'<svg {_size(scale.width, 16)} aria-hidden="true">{ticks}</svg>')


def interval_mark(
    scale: IntervalScale, value: float | None, ends: Sequence[float] | None, kind: str
) -> Html:
    """A dot with its interval; kind: the class `people` or `metric`."""
    parts = [
        f'<line class="grid{" zero" if tick.is_zero else ""}" x1="{tick.at}" x2="{tick.at}" '
        'y1="0" y2="24"/>'
        for tick in scale.ticks
    ]
    if value is not None:
        mark = scale.mark(value, ends)
        if mark.low is not None:
            parts.append(
                f'<line class="whisker" x1="{mark.low}" x2="{mark.high}" y1="12" y2="12"/>'
            )
        parts.append(f'<circle class="dot" cx="{mark.at}" cy="12" r="5"/>')
    size = _size(scale.width, 24)
    return Html(f'<svg class="interval {kind}" {size} aria-hidden="true">{"".join(parts)}</svg>')


def matrix(plot: MatrixPlot, title: str) -> Html:
    """A matrix of all pairs."""
    parts = []
    for cell in plot.cells:
        x, y = cell.middle
        parts.append(
            f'<g class="cell {cell.shade}"><title>{escape(cell.title)}</title>'
            f'<rect x="{cell.x}" y="{cell.y}" width="{plot.side}" height="{plot.side}"/>'
            f'<text x="{x}" y="{y}" dy="4" text-anchor="middle">{escape(cell.mark)}</text></g>'
        )
    for one in plot.names:
        name = escape(one.name)
        turned = f"translate({one.column_x} {plot.top - 6}) rotate(-90)"
        parts.append(
            f'<text x="{plot.left - 6}" y="{one.row_y}" dy="4" text-anchor="end">{name}</text>'
            f'<text transform="{turned}" dy="4">{name}</text>'
        )
    right, bottom = plot.end
    for rule in plot.rules:
        path = f"M{plot.left} {rule}H{right}M{rule} {plot.top}V{bottom}"
        parts.append(f'<path class="rule" d="{path}"/>')
    size = _size(plot.width, plot.height)
    return Html(
        f'<div class="scroll"><svg class="matrix" role="img" {size}><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg></div>"
    )


def _size(width: float, height: float) -> str:
    """The attributes of a picture's size; a stylesheet may scale it."""
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
