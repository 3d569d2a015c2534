"""Agreement between raters, filters of ratings, and gold scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord import aggregation
from concord.documents.agreement import AgreementReport, AlphaRow
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
from concord.plots.forest import IntervalPlot
from concord.plots.notebooks import PlottedResult
from concord.reliability import Level


@dataclass(frozen=True)
class Agreement(PlottedResult):
    """Krippendorff's alpha of ratings; `report` is the output of `agreement --format json`."""

    report: AgreementReport

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

    def shown_frame(self) -> pd.DataFrame:
        report: Mapping[str, object] = self.report
        names = ("alpha", "ci", "level", "units", "ratings", "raters_per_unit")
        return pd.DataFrame({"": names, "agreement": [report[name] for name in names]})

    def forest(self) -> IntervalPlot:
        """Alpha; with a filter of all ratings, the kept ones, and those kept of shuffled ones."""
        parts: dict[str, AlphaRow] = {"ratings": self.report}
        if "unfiltered" in self.report:
            parts = {"all": self.report["unfiltered"], "kept": self.report}
            parts["shuffled, kept"] = self.report["null"]
        rows = [(name, row["alpha"], row["ci"]) for name, row in parts.items()]
        return IntervalPlot(f"Krippendorff's alpha ({self.report['level']})", rows)


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
    return Agreement(report)


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
