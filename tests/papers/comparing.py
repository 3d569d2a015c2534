"""Comparison of Concord's values with the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.papers.data import Entry, Paper

# Recorded values are rounded to so many decimals.
DECIMALS = 6
# Scores of two answers closer than this are a tie.
TIE = 1e-6
# Stands for a value that `tests.papers.record` has not recorded.
NOT_RECORDED = "not recorded"

VERDICTS = ("incorrect", "correct")
PREFERENCES = ("first", "second", "tie")


@dataclass(frozen=True)
class Row:
    """One row of an entry: what the paper prints and what Concord gives, column by column.

    agrees: whether every value is the printed one to the printed digits; None where the paper
    prints none, or none is recorded here. reason: the key of the text that explains a difference.
    """

    name: str
    metric: str
    printed: tuple[str, ...]
    here: tuple[str, ...]
    agrees: bool | None
    reason: str | None


def compared_rows(paper: Paper, entry: Entry) -> list[Row]:
    """The rows of an entry with the recorded values; values not recorded yet are marked."""
    rows = []
    for name, metric in paper.rows(entry):
        printed, values = tuple(entry.printed[name]), paper.here.get(entry.id, {}).get(metric)
        if values is None:
            rows.append(Row(name, metric, printed, (NOT_RECORDED,), None, None))
            continue
        agreeing = agrees(entry, printed, values) if printed else None
        reason = paper.reason(entry, metric) if agreeing is False else None
        shown = shown_values(entry, printed, values)
        rows.append(Row(name, metric, printed, shown, agreeing, reason))
    return rows


def agrees(entry: Entry, printed: Sequence[str], values: Sequence[float]) -> bool:
    """Whether the values equal the printed ones, to the printed digits."""
    if entry.kind == "pair":
        return [preference(values)] == list(printed)
    return all(_is_printed(text, value) for text, value in zip(printed, values, strict=True))


def preference(values: Sequence[float]) -> str:
    """Which of a pair's two answers has the higher score: first, second or tie."""
    difference = values[0] - values[1]
    return PREFERENCES[2] if abs(difference) < TIE else PREFERENCES[int(difference < 0)]


def _is_printed(text: str, value: float) -> bool:
    if text in VERDICTS:
        return VERDICTS[int(value)] == text
    # Half a unit of the last printed digit, and what recording rounded off.
    return abs(value - float(text)) <= 0.5 * 10.0 ** -_decimals(text) + 0.5 * 10.0**-DECIMALS


def shown_values(entry: Entry, printed: Sequence[str], values: Sequence[float]) -> tuple[str, ...]:
    """The values as the page shows them: three decimals, or as many as are printed."""
    if entry.kind == "pair":
        return (preference(values), *(f"{value:.3f}" for value in values))
    texts = printed or ("",) * len(values)
    return tuple(_shown(text, value) for text, value in zip(texts, values, strict=True))


def _shown(text: str, value: float) -> str:
    if text in VERDICTS:
        return VERDICTS[int(value)]
    return f"{value:.{max(3, _decimals(text))}f}" if not text.isdigit() else f"{value:.4g}"


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])
