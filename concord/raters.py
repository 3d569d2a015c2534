"""Raters: how far they agree, which ratings a filter keeps, and the gold scores of what is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from concord import aggregation
from concord.filtering import Ledger, Step, replay
from concord.filtering.documents import AgreementReport
from concord.filtering.report import agreement_report
from concord.frames import RatingRow, complete, ratings_of
from concord.reliability import Level


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha of a set of ratings; `report` is what `agreement --format json` says."""

    report: AgreementReport

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha; None where it is undefined, and `reason` says why."""
        return self.report["alpha"]

    @property
    def ci(self) -> tuple[float, float] | None:
        """The 95% interval of alpha, by resampling passages."""
        ends = self.report["ci"]
        return None if ends is None else (ends[0], ends[1])

    @property
    def reason(self) -> str:
        return self.report.get("reason", "")

    def to_json(self) -> AgreementReport:
        return self.report

    def _repr_html_(self) -> str:
        report: Mapping[str, object] = self.report
        names = ("alpha", "ci", "level", "units", "ratings", "raters_per_unit")
        shown = pd.Series({name: report[name] for name in names}, name="agreement")
        html: str = shown.to_frame().to_html()
        return html


def agreement(
    frame: pd.DataFrame,
    *,
    level: Level = "ordinal",
    raters: str | None = None,
    filter: Step | tuple[Step, ...] = (),
    seed: int = 0,
    draws: int = 1000,
) -> Agreement:
    """How far the raters of a judgment frame agree, by Krippendorff's alpha with its interval.

    `raters` names a group where there are several. `filter` is one step or several, such as
    `concord.ZScore(1.0, at_most=5)`: the figures are then of the ratings it keeps, beside those of
    all ratings and of the same filter on shuffled ratings. Raises FrameError, RatingsError.
    """
    steps = filter if isinstance(filter, tuple) else (filter,)
    report = agreement_report(
        ratings_of(frame, raters), Ledger(steps), level=level, seed=seed, draws=draws
    )
    return Agreement(report)


def filter_ratings(
    frame: pd.DataFrame, filter: Step | tuple[Step, ...], *, raters: str | None = None
) -> pd.DataFrame:
    """A copy of the frame whose `ratings` are those the filter keeps, in their order.

    `score` is left as it is: `aggregate` computes gold scores of the kept ratings. Raises
    FrameError, RatingsError.
    """
    steps = filter if isinstance(filter, tuple) else (filter,)
    ratings = ratings_of(frame, raters)
    kept = iter(replay(Ledger(steps), ratings).kept.tolist())
    made = complete(frame)
    made["ratings"] = [
        tuple(rating for rating in row if not _is_by(rating, raters) or next(kept))
        for row in made["ratings"]
    ]
    return made


def aggregate(
    frame: pd.DataFrame, method: str = "mean", *, raters: str | None = None, seed: int = 0
) -> pd.Series[float]:
    """The gold score of each row from its ratings, float64, NaN for a row without ratings.

    `method` is one of `concord.aggregation.METHODS`. Raises FrameError, RatingsError.
    """
    ratings = ratings_of(frame, raters)
    gold = aggregation.gold_scores(ratings, method, seed=seed)
    by_id = dict(zip(ratings.unit_names, gold.tolist(), strict=True))
    ids = complete(frame)["id"]
    return pd.Series([by_id.get(key, np.nan) for key in ids], index=frame.index, name="score")


def _is_by(rating: RatingRow, raters: str | None) -> bool:
    return raters is None or (rating.get("group") or "") == raters
