"""The null of a ledger: alpha on the same ratings shuffled among units.

A step that selects ratings by agreement raises alpha even without any real agreement. On ten
uniform random ratings per unit, KPQA's filter raises ordinal alpha from 0.00 to 0.35. The null
shows how much of a gain a ledger produces this way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.filtering.ledger import Ledger
from concord.filtering.replaying import build_selectors
from concord.inference import Estimate
from concord.reliability import Level, Ratings, RatingsError
from concord.reliability.coincidences import count_coincidences
from concord.reliability.krippendorff import coincidence_alpha


def null_alpha(
    ratings: Ratings,
    ledger: Ledger,
    rng: np.random.Generator,
    draws: int = 200,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
) -> tuple[Estimate, Estimate]:
    """Alpha of `draws` shuffles of the ratings among the units, before and after the ledger.

    Each is the mean over the shuffles, with their 2.5th and 97.5th percentiles: the range of 95% of
    the shuffles, not a confidence interval. The mean before is near 0.

    A rating moves to another unit with its value, its rater, its time and its position in the
    stored order; every unit keeps its number of ratings. So raters keep their habits (a worker
    who always rates high still does), but their ratings no longer depend on the units. A rater
    may then have two ratings of a unit, which does not matter to alpha. Ratings and workers that
    were excluded by hand are excluded in each shuffle too. A person would have excluded others
    there, so for such steps the null is too low.
    """
    if draws < 1:
        raise RatingsError(f"draws must be 1 or more, not {draws}")
    selectors = build_selectors(ledger, ratings, seconds)
    before, after = np.empty(draws), np.empty(draws)
    for draw in range(draws):
        shuffled = replace(ratings, units=rng.permutation(ratings.units))
        before[draw] = coincidence_alpha(count_coincidences(shuffled), level)
        positions = np.arange(len(ratings))
        for choose in selectors:
            keep, _ = choose(shuffled, positions)
            shuffled, positions = shuffled.keep(keep), positions[keep]
        after[draw] = coincidence_alpha(count_coincidences(shuffled), level)
    return _range(before), _range(after)


def _range(alphas: NDArray[np.float64]) -> Estimate:
    defined = alphas[~np.isnan(alphas)]
    undefined = len(alphas) - len(defined)
    if not len(defined):
        reason = "alpha is undefined after the ledger on every shuffle"
        return Estimate(None, reason=reason, draws=undefined, undefined=undefined)
    low, high = np.percentile(defined, (2.5, 97.5)).tolist()
    mean = float(defined.mean())
    return Estimate(mean, low, high, over="shuffles", draws=len(alphas), undefined=undefined)


def selection_alpha(
    before: float | None, null: tuple[Estimate, Estimate]
) -> tuple[float, float, float] | None:
    """The alpha that selection alone would produce from `before`: (mean, low, high), or None.

    1 - alpha is the remaining share of the disagreement by chance. On shuffled ratings the ledger
    multiplies it by f = (1 - mean after) / (1 - mean before), of `null_alpha`. The same f here
    gives 1 - f * (1 - before). Without any agreement this is the null itself, and it never
    exceeds 1, unlike before plus the null's gain. low and high are of the range of the shuffles.
    """
    start, shuffled = null
    if before is None or start.value is None or shuffled.value is None or shuffled.ci is None:
        return None
    left = (1.0 - before) / (1.0 - start.value)
    mean, low, high = (1.0 - left * (1.0 - end) for end in (shuffled.value, *shuffled.ci))
    return mean, low, high


def describe_gain(before: Estimate, after: Estimate, null: tuple[Estimate, Estimate]) -> str:
    """A sentence that says how much of the change in alpha is real.

    Only the part beyond `selection_alpha` can be real. It is an upper bound: the ledger may
    remove more from these ratings than from shuffled ones.
    """
    selection, shuffled = selection_alpha(before.value, null), null[1]
    if before.value is None or after.value is None or shuffled.ci is None or selection is None:
        why = next(each.reason for each in (before, after, shuffled, null[0]) if each.value is None)
        return f"How much of the change in alpha is real is unknown: {why}."
    gain = after.value - before.value
    text = f"Alpha goes from {before.value:.3f} to {after.value:.3f}. "
    if gain <= 0:
        return f"{text}There is no gain."
    text += (
        f"On the same ratings shuffled among the items, without any real agreement, the "
        f"same steps give {shuffled.value:.3f} ({shuffled.ci[0]:.3f} to {shuffled.ci[1]:.3f} in "
        f"95% of shuffles). The selection alone would give about {selection[0]:.3f}: "
    )
    if after.value <= selection[2]:
        return f"{text}none of the gain of {gain:.3f} need be real."
    real = min(gain, after.value - selection[0])
    return f"{text}of the gain of {gain:.3f}, at most {real:.3f} is real."
