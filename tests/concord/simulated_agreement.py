"""Agreement of raters on data whose truth is known, for `simulated_statistics`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from concord.formats.marks import RaterMarks
from concord.formats.records import Span
from concord.inference import Estimate
from concord.inference.two_way import two_way_mean, two_way_share
from concord.meta.inference import SingleRatings, human_agreement
from concord.reliability import Ratings, alpha, alpha_of_other_raters, halo
from concord.spans.report import rater_agreement
from tests.concord.simulated_inference import Data, Statistic, same

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
    values, items, raters = data.ratings()
    return two_way_mean(values + effect, data.clusters[items], raters, null=0.0)


def rated_share(data: Data, effect: float) -> Estimate:
    values, items, raters = data.ratings()
    hits = (values < scipy.special.ndtri(effect)).astype(np.float64)
    return two_way_share(hits, data.clusters[items], raters, null=0.5)


def one_rater(data: Data) -> Estimate:
    """With the mean of the four others; quality and a rater's errors have one variance."""
    values = data.normal()[:, None] + data.rng.normal(size=(data.n, 5))
    single = SingleRatings.from_arrays(
        np.repeat(np.arange(data.n), 5), values.ravel(), raters=np.tile(np.arange(5), data.n),
        items=np.arange(data.n), clusters=data.clusters,
    )  # fmt: skip
    return human_agreement(single, "pearson", rng=data.rng).held_out


def figure(compute: Callable[[Data], Estimate], truth: float, repeats: float = 1.0) -> Statistic:
    return Statistic(lambda data, _: compute(data), lambda _: truth, 0.0, repeats=repeats)


# The truths are means of samples of 4,000 independent answers.
AGREEMENT = {
    "reliability.alpha": figure(lambda data: alpha(ratings(data), "interval", draws=DRAWS), 0.411),
    "reliability.alpha_of_other_raters": figure(
        lambda data: alpha_of_other_raters(ratings(data, 5, drawn=True), "interval"), 0.417, 0.5
    ),
    "reliability.halo": figure(lambda data: halo(*two_criteria(data), draws=DRAWS).excess, 1 / 3),
    "spans.rater_agreement": figure(lambda data: rater_agreement(marks(data)).f1, 0.662, 0.25),
    "inference.two_way_mean": Statistic(rated_mean, same, 0.5, 0.0, repeats=0.5),
    "inference.two_way_share": Statistic(rated_share, same, 0.7, 0.5, repeats=0.5),
    "meta.human_agreement": figure(one_rater, 0.4**0.5, 0.25),
}
