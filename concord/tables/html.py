"""Results as HTML. Texts are escaped, but for those that are `Html`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from concord.plots import IntervalScale
from concord.tables import ResultTable, ShownColumn, figure_rows


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def to_html(value: str) -> Html:
    """The text as HTML."""
    return value if isinstance(value, Html) else Html(escape(value))


def paragraph(value: str, kind: str = "") -> Html:
    """A paragraph with this class."""
    attribute = f' class="{kind}"' if kind else ""
    return Html(f"<p{attribute}>{to_html(value)}</p>")


def html_table(table: ResultTable, *, marks: str = "") -> Html:
    """A table whose numbers are aligned to the right, with its title as the caption.

    marks: the class of dots with intervals, such as "people", of the first figure; none if empty.
    """
    shown = table.shown()
    columns = [_column(one, "th" if at == 0 else "td") for at, one in enumerate(shown)]
    if marks and any(one.column.kind == "figure" for one in shown):
        figure, rows = figure_rows(table)
        at = 1 + max(at for at, one in enumerate(shown) if one.column is figure)
        columns.insert(at, _marks([row[1:] for row in rows], marks, zero=table.from_zero))
    head, *body = zip(*columns, strict=True)
    lines = "\n".join(f"<tr>{''.join(row)}</tr>" for row in body)
    caption = f"<caption>{to_html(table.title)}</caption>" if table.title else ""
    return Html(
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table">'
        f'<table class="dense">{caption}'
        f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>{lines}</tbody></table></div>"
    )


def _column(shown: ShownColumn, tag: str) -> list[str]:
    """The cells of a column, the heading first. tag: "th" where they head their rows."""
    kind = "" if shown.is_text else ' class="num"'
    start = f'th scope="row"{kind}' if tag == "th" else f"td{kind}"
    head = f'<th scope="col"{kind}>{to_html(shown.heading)}</th>'
    return [head, *(f"<{start}>{to_html(text)}</{tag}>" for text in shown.texts)]


def _marks(
    figures: Sequence[tuple[float | None, Sequence[float] | None]], kind: str, *, zero: bool
) -> list[str]:
    """The cells of a column with figures as dots with their intervals."""
    scale = IntervalScale.from_intervals(
        [ends or (value, value) for value, ends in figures if value is not None], zero=zero
    )
    ticks = "".join(
        f'<text x="{tick.at}" y="12" text-anchor="middle">{escape(tick.label)}</text>'
        for tick in scale.ticks
    )
    head = f'<svg {picture_size(scale.width, 16)} aria-hidden="true">{ticks}</svg>'
    cells = (f'<td class="plot">{_mark(scale, *figure, kind)}</td>' for figure in figures)
    return [f'<th scope="col" class="plot">{head}</th>', *cells]


def _mark(
    scale: IntervalScale, value: float | None, ends: Sequence[float] | None, kind: str
) -> str:
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
    size = picture_size(scale.width, 24)
    return f'<svg class="interval {kind}" {size} aria-hidden="true">{"".join(parts)}</svg>'


def picture_size(width: float, height: float) -> str:
    """The attributes of a picture's size; a stylesheet may scale it."""
    return f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
