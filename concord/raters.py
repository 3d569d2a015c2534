"""Agreement between raters, filters of ratings, and gold scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pandas as pd

from concord import aggregation
from concord.documents.agreement import (
    AgreementReport,
    RatingsAgreement,
    RatingsAlpha,
)
from concord.documents.figures import FigureRow
from concord.filtering import Ledger, Step, WorkerFilter, ZScoreFilter, replay
from concord.filtering.report import agreement_report
from concord.formats.records import default_level
from concord.frames import (
    RatingRow,
    complete_frame,
    extract_ratings,
    refuse_unequal_sampling,
    refuse_unordered,
)
from concord.reliability import Level
from concord.reliability.coefficients import coefficient_names
from concord.sentences import counted, decimal, interval_notes
from concord.tables import ResultTable, count, figure, number, text
from concord.tables.result import PlottedResult


@dataclass(frozen=True)
class Agreement(PlottedResult):
    """Krippendorff's alpha of ratings; `report` is the output of `agreement --format json`. ledger:
    of the steps that left out ratings."""

    report: AgreementReport
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha; None where it is undefined (see `reason`)."""
        return self.report["alpha"]

    @property
    def ci(self) -> tuple[float, float] | None:
        """The 95% bootstrap interval of alpha; passages are resampled."""
        ends = self.report["ci"]
        return None if ends is None else (ends[0], ends[1])

    @property
    def reason(self) -> str:
        """Why alpha, or its interval, is undefined; empty if both are defined."""
        return self.report.get("reason", "")

    def to_json(self) -> AgreementReport:
        """The report as JSON."""
        return self.report

    def tables(self) -> Iterable[ResultTable]:
        report, rows = self.report, self._rows
        parts: list[dict[str, Any]] = [{"name": name, **row} for name, row in rows.items()]
        if "null" in report:
            parts.append({"name": "shuffled, kept", **report["null"]})
        columns = [
            text("ratings", "name"),
            figure("alpha", lambda row: (row["alpha"], row["ci"])),
            text("level"),
            count("units"),
            count("ratings"),
            number("raters a unit", "raters_per_unit", digits=2),
        ]
        title = "Krippendorff's alpha"
        yield ResultTable(title, columns, parts, plot=f"{title} ({report['level']})")
        names = coefficient_names(report["level"])
        columns = [text("coefficient", lambda row: row[1])]
        columns += [number(name, _coefficient(row)) for name, row in rows.items()]
        yield ResultTable("Beside alpha", columns, list(names.items()))

    @property
    def _rows(self) -> dict[str, RatingsAgreement]:
        """The agreement of all ratings, and with a filter that of the kept ones."""
        report = self.report
        filtered = "unfiltered" in report
        return {"all": report["unfiltered"], "kept": report} if filtered else {"all": report}

    def sentences(self) -> Iterable[str]:
        report, steps = self.report, self.ledger.steps
        yield from (f"Left out: {step}." for step in steps)
        if steps:
            alone = report["kept"] - report["ratings"]
            yield (
                f"{counted(report['removed'], 'rating')} left out, {report['kept']:,} kept, "
                f"{decimal(report['kept_per_unit'], 2)} a unit. Alpha counts "
                f"{report['ratings']:,} of them: {alone:,} are alone in their unit."
            )
            yield report["sentence"]
            yield "The interval of shuffled ratings holds 95% of the shuffles."
        notes = [note for row in self._rows.values() for note in _interval_lines(row)]
        yield from dict.fromkeys(notes)
        if steps and (reason := report["null"].get("reason")):
            yield f"Undefined: {reason}."
        yield from report["notes"]
        yield from (f"Note: {notice}." for notice in report.get("notices", ()))


def _coefficient(row: RatingsAgreement) -> Callable[[tuple[str, str]], str]:
    """The text of the coefficient with a key."""

    def text(named: tuple[str, str]) -> str:
        figure: FigureRow = cast(Any, row)[named[0]]
        reason = figure.get("reason", "")
        return f"undefined: {reason}" if figure["value"] is None else decimal(figure["value"])

    return text


def _interval_lines(row: RatingsAlpha) -> list[str]:
    """Why alpha or its interval is undefined, and how many resamples were left out."""
    if row["alpha"] is None:
        return [f"Undefined: {row['reason']}."] if "reason" in row else []
    return interval_notes(row, "alpha")


def agreement(
    frame: pd.DataFrame,
    *,
    level: Level | None = None,
    raters: str | None = None,
    filter: Step | tuple[Step, ...] = (),
    seed: int = 0,
    draws: int = 1000,
) -> Agreement:
    """Krippendorff's alpha of the ratings in a judgment frame, with its interval, and the
    coefficients of `concord.reliability.Coefficients` beside it.

    level: ordinal by default, nominal where ratings are words without an order.
    `raters` names a group where there are several. `filter` is one step or several, such as
    `concord.ZScoreFilter(1.0, at_most=5)`. With a filter the figures are those of the ratings that
    it keeps; the report also has those of all ratings, and of the same filter on shuffled ratings.
    Raises FrameError, also for words without an order at another level than nominal; RatingsError.
    """
    refuse_unequal_sampling(frame)
    steps = filter if isinstance(filter, tuple) else (filter,)
    level = level or default_level(frame.attrs.get("scale"))
    if level != "nominal" or _need_order(steps):
        refuse_unordered(frame)
    report = agreement_report(
        extract_ratings(frame, raters),
        Ledger(steps),
        level=level,
        scale=frame.attrs.get("scale"),
        seed=seed,
        draws=draws,
    )
    return Agreement(report, Ledger(steps))


def filter_ratings(
    frame: pd.DataFrame, filter: Step | tuple[Step, ...], *, raters: str | None = None
) -> pd.DataFrame:
    """A copy of the frame with only the ratings that the filter keeps.

    `score` does not change; `aggregate` computes gold scores from the kept ratings. Raises
    FrameError, RatingsError.
    """
    steps = filter if isinstance(filter, tuple) else (filter,)
    if _need_order(steps):
        refuse_unordered(frame)
    ratings = extract_ratings(frame, raters)
    keep = iter(replay(Ledger(steps), ratings).kept.tolist())
    filtered = complete_frame(frame)
    filtered["ratings"] = [
        tuple(rating for rating in row if not _is_by(rating, raters) or next(keep))
        for row in filtered["ratings"]
    ]
    return filtered


def aggregate(
    frame: pd.DataFrame, method: str = "mean", *, raters: str | None = None, seed: int = 0
) -> pd.Series[float]:
    """Gold scores from the ratings of each row: float64, NaN for a row without ratings.

    `method` is one of `concord.aggregation.METHODS`. Raises FrameError, RatingsError.
    """
    refuse_unordered(frame)
    ratings = extract_ratings(frame, raters)
    gold = aggregation.gold_scores(ratings, method, seed=seed)
    by_id = dict(zip(ratings.unit_names, gold.tolist(), strict=True))
    ids = complete_frame(frame)["id"]
    return pd.Series([by_id.get(key, np.nan) for key in ids], index=frame.index, name="score")


def _need_order(steps: tuple[Step, ...]) -> bool:
    """Whether a step compares ratings as numbers."""
    return any(isinstance(step, ZScoreFilter | WorkerFilter) for step in steps)


def _is_by(rating: RatingRow, raters: str | None) -> bool:
    return raters is None or (rating.get("group") or "") == raters
