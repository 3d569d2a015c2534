"""Two versions of a judge on the same held-out items: is the new prompt better?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference import (
    MIN_CLUSTERS,
    Estimate,
    clustered_mean,
    estimates_of_sums,
    moment_sums,
    pearson_of_sums,
    resampled_sums,
)
from concord.judges.graded_scores import grades_from_scores
from concord.reliability import RatingsError
from concord.sentences import counted, decimal, interval_text
from concord.tables import ResultTable, text
from concord.tables.result import Result

Verdict = Literal["the new version is better", "the new version is worse", "no difference is seen"]


@dataclass(frozen=True)
class VersionComparison(Result):
    """The new version of a judge less the old one, on held-out items.

    old, new: Pearson's r with people. difference: of r, by the paired bootstrap over passages.
    error_difference: of the mean distance of recalibrated grades from people's scores, in points
    of the scale; below 0 the new version is nearer. verdict: from the interval of the difference
    of r.
    """

    items: int
    passages: int
    old: Estimate
    new: Estimate
    difference: Estimate
    error_difference: Estimate
    verdict: Verdict

    def tables(self) -> Iterable[ResultTable]:
        rows = [
            ("Pearson's r with people, old", self.old, ""),
            ("Pearson's r with people, new", self.new, ""),
            ("difference of r", self.difference, "+"),
            ("mean distance from people's scores, new less old", self.error_difference, "+"),
        ]
        columns = [
            text("", "0"),
            text("value", lambda row: decimal(row[1].value, 3, row[2])),
            text("95% interval", lambda row: interval_text(row[1].ci, 3, row[2])),
        ]
        items = f"{self.items:,} held-out candidates"
        yield ResultTable(f"{items}, {counted(self.passages, 'passage')}", columns, rows)

    def sentences(self) -> Iterable[str]:
        yield "Distances are those after recalibration."
        yield f"On these candidates {self.verdict}."


def compare_versions(
    old: Floats,
    new: Floats,
    gold: Floats,
    clusters: Integers,
    *,
    seen: Booleans,
    rng: np.random.Generator,
    draws: int = 1000,
) -> VersionComparison:
    """Compare the scores of two versions, (n,), higher is better, NaN where there is none.

    gold: (n,), finite. seen: (n,), the items from which the new version was made; every item of
    their passages is left out, and so are items that a version did not score. Raises
    RatingsError where fewer than MIN_CLUSTERS passages are left, or scores or gold do not vary.
    """
    held_out = ~np.isin(clusters, clusters[seen])
    rows = np.flatnonzero(held_out & np.isfinite(old) & np.isfinite(new))
    passages = len(np.unique(clusters[rows]))
    if passages < MIN_CLUSTERS:
        raise RatingsError(
            f"{counted(passages, 'passage is', 'passages are')} left that both versions scored and "
            f"the new one was not made from; {MIN_CLUSTERS} or more are needed"
        )
    sums = moment_sums(np.stack([old[rows], new[rows]]), gold[rows], clusters[rows])
    if np.isnan(pearson_of_sums(sums.sum(axis=-1))).any():
        raise RatingsError("a version or people gave all of the held-out items the same score")
    resampled = resampled_sums(sums, rng, draws)
    of_old, of_new = estimates_of_sums(pearson_of_sums, sums, resampled, "correlation", null=0.0)
    # Of both versions at once: (6, 2, draws) to a difference.
    (difference,) = estimates_of_sums(
        lambda totals: np.diff(pearson_of_sums(totals), axis=0), sums, resampled, null=0.0
    )
    errors = [
        np.abs(grades_from_scores(each, gold[rows], clusters[rows]) - gold[rows])
        for each in (old[rows], new[rows])
    ]
    return VersionComparison(
        items=len(rows),
        passages=passages,
        old=of_old,
        new=of_new,
        difference=difference,
        error_difference=clustered_mean(errors[1] - errors[0], clusters[rows]),
        verdict=_verdict(difference),
    )


def _verdict(difference: Estimate) -> Verdict:
    if difference.ci is None:
        return "no difference is seen"
    if difference.ci[0] > 0:
        return "the new version is better"
    return "the new version is worse" if difference.ci[1] < 0 else "no difference is seen"
