"""The matrix of all pairs in a report."""

from __future__ import annotations

from html import escape

from concord.plots import MatrixPlot
from concord.tables.html import Html, picture_size


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
    size = picture_size(plot.width, plot.height)
    return Html(
        f'<div class="scroll"><svg class="matrix" role="img" {size}><title>{escape(title)}</title>'
        f"{''.join(parts)}</svg></div>"
    )
