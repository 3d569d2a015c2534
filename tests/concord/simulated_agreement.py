"""Agreement of raters on data whose truth is known, for `simulated_statistics`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from concord.formats.marks import RaterMarks
from concord.formats.records import Span
from concord.inference import Estimate
from concord.inference.two_way import two_way_mean
from concord.reliability import Ratings, alpha, alpha_of_other_raters, halo
from concord.spans.report import rater_agreement
from tests.concord.simulated_inference import Data, Statistic

DRAWS = 400


def ratings(data: Data, raters: int = 3, *, drawn: bool = False) -> Ratings:
    """From 1 to 5. Raters differ in their level, by the same amounts each time unless drawn."""
    level = data.rng.normal(size=raters) if drawn else np.linspace(-1, 1, raters)
    values = 3 + data.normal()[:, None] + 0.4 * level + data.rng.normal(size=(data.n, raters))
    return Ratings.from_matrix(np.clip(np.round(values), 1, 5), data.clusters)


def two_criteria(data: Data) -> tuple[Ratings, Ratings]:
    """A rater's errors on both criteria have half of their variance in common."""
    shared, first = data.rng.normal(size=(data.n, 3)), data.normal()
    both = first, 0.5 * first + 0.75**0.5 * data.normal()
    x, y = (one[:, None] + shared + data.rng.normal(size=(data.n, 3)) for one in both)
    return Ratings.from_matrix(x, data.clusters), Ratings.from_matrix(y, data.clusters)


def marks(data: Data, raters: int = 4) -> list[RaterMarks]:
    """One span in each answer; its end varies by answer, by rater and from mark to mark."""
    level = np.linspace(-4, 4, raters)
    ends = 40 + 8 * data.normal()[:, None] + level + 8 * data.rng.normal(size=(data.n, raters))
    ends = np.clip(np.round(ends), 1, 100).astype(int)
    return [
        RaterMarks(f"r{rater}", "s", f"d{data.clusters[item]}", f"{item}",
                   (Span(int(ends[item, rater]) // 2, int(ends[item, rater]) + 1, "minor"),))
        for item, rater in np.ndindex(*ends.shape)
    ]  # fmt: skip


def rated_mean(data: Data, effect: float) -> Estimate:
    """Of five drawn raters; each passage is rated by three of them."""
    level, passages = 0.4 * data.rng.normal(size=5), np.unique(data.clusters)
    chosen = np.array([data.rng.permutation(5)[:3] for _ in passages])[data.clusters]
    values = effect + data.normal()[:, None] + level[chosen] + data.rng.normal(size=chosen.shape)
    return two_way_mean(values.ravel(), np.repeat(data.clusters, 3), chosen.ravel(), null=0.0)


def figure(compute: Callable[[Data], Estimate], truth: float, repeats: float = 1.0) -> Statistic:
    return Statistic(lambda data, _: compute(data), lambda _: truth, 0.0, repeats=repeats)


# The truths are means of samples of 4,000 independent answers.
AGREEMENT = {
    "concord.reliability.krippendorff.alpha": figure(
        lambda data: alpha(ratings(data), "interval", draws=DRAWS), 0.411
    ),
    "concord.reliability.leave_one_out.alpha_of_other_raters": figure(
        lambda data: alpha_of_other_raters(ratings(data, 5, drawn=True), "interval"), 0.417, 0.5
    ),
    "concord.reliability.halo.halo": figure(
        lambda data: halo(*two_criteria(data), draws=DRAWS).excess, 1 / 3
    ),
    "concord.spans.report.rater_agreement": figure(
        lambda data: rater_agreement(marks(data)).f1, 0.662, 0.25
    ),
    "concord.inference.two_way.two_way_mean": Statistic(
        rated_mean, lambda effect: effect, 1.0, 0.0, repeats=0.5
    ),
}
