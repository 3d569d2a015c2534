"""The looks at a judge as rows of a table and as a plot."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.judging.models import DriftSchedule, ModelJudge
from benchmarks.judging.services.drift import drift_row
from concord.documents.drift import DriftRow
from concord.plots import LinePlot, line_plot
from concord.sentences import decimal


@dataclass(frozen=True)
class LookRow:
    """A look of a schedule, numbered from 1. row: None without a comparison."""

    number: int
    look: ModelJudge
    row: DriftRow | None


@dataclass(frozen=True)
class LookHistory:
    """The looks of a schedule, latest first. level: of one look, None before the first one."""

    schedule: DriftSchedule
    rows: list[LookRow]
    level: float | None
    plot: LinePlot | None


def look_history(schedule: DriftSchedule) -> LookHistory:
    looks = list(schedule.looks.order_by("created_at", "pk"))
    rows = []
    for number, look in enumerate(looks, start=1):
        row = None if look.drift is None else drift_row(look.drift)
        rows.append(LookRow(number, look, row))
    levels = [look.drift["level"] for look in looks if look.drift is not None]
    return LookHistory(schedule, rows[::-1], levels[0] if levels else None, _plot(rows))


def _plot(rows: list[LookRow]) -> LinePlot | None:
    """The fall by look, with its bounds; None with fewer than two."""
    numbers, falls, lows, highs = [], [], [], []
    for one in rows:
        fall = None if one.row is None else one.row["fall"]
        if fall and fall["value"] is not None and fall["low"] is not None:
            numbers.append(float(one.number))
            falls.append(fall["value"])
            lows.append(fall["low"])
            highs.append(fall["value"] if fall["high"] is None else fall["high"])
    if len(numbers) < 2:
        return None
    return line_plot(
        numbers,
        falls,
        (lows, highs),
        [f"look {n:.0f}: {decimal(fall, 2, '+')}" for n, fall in zip(numbers, falls, strict=True)],
        x_name="look",
        y_name="fall of agreement",
        ends=(0.0, 0.0),
    )
