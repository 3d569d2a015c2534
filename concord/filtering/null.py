"""The null of a ledger: alpha on the same ratings shuffled among units.

A step that selects ratings by agreement raises alpha even without any real agreement. On ten
uniform random ratings per unit, KPQA's filter raises ordinal alpha from 0.00 to 0.35. The null
shows how much of a gain a ledger produces this way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.filtering.ledger import Ledger
from concord.filtering.replaying import build_selectors
from concord.reliability import Alpha, Level, Ratings, RatingsError, alpha


@dataclass(frozen=True)
class NullAlpha:
    """Alpha after a ledger on shuffled ratings.

    mean: over the draws; low, high: their 2.5th and 97.5th percentiles. None, with a reason,
    where alpha is undefined in every draw. before: mean alpha of the shuffled ratings before
    the ledger, near 0. draws: number of shuffles; `undefined` of them had no alpha after the
    ledger.
    """

    mean: float | None
    low: float | None
    high: float | None
    before: float | None
    draws: int
    undefined: int = 0
    reason: str | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The ends of the interval; None if it is undefined."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def null_alpha(
    ratings: Ratings,
    ledger: Ledger,
    rng: np.random.Generator,
    draws: int = 200,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
) -> NullAlpha:
    """Replay the ledger on `draws` shuffles of the ratings among the units.

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
    before, after = np.full(draws, np.nan), np.full(draws, np.nan)
    for draw in range(draws):
        shuffled = replace(ratings, units=rng.permutation(ratings.units))
        before[draw] = _value(alpha(shuffled, level))
        positions = np.arange(len(ratings))
        for choose in selectors:
            keep, _ = choose(shuffled, positions)
            shuffled, positions = shuffled.keep(keep), positions[keep]
        after[draw] = _value(alpha(shuffled, level))
    defined = after[~np.isnan(after)]
    undefined = draws - len(defined)
    start = float(np.nanmean(before)) if not np.isnan(before).all() else None
    if not len(defined):
        reason = "alpha is undefined after the ledger on every shuffle"
        return NullAlpha(
            mean=None,
            low=None,
            high=None,
            before=start,
            draws=draws,
            undefined=undefined,
            reason=reason,
        )
    low, high = np.percentile(defined, (2.5, 97.5))
    return NullAlpha(
        mean=float(defined.mean()),
        low=float(low),
        high=float(high),
        before=start,
        draws=draws,
        undefined=undefined,
    )


def selection_alpha(before: Alpha, null: NullAlpha) -> tuple[float, float, float] | None:
    """The alpha that selection alone would produce from `before`: (mean, low, high), or None.

    1 - alpha is the remaining share of the disagreement by chance. On shuffled ratings the ledger
    multiplies it by f = (1 - null.mean) / (1 - null.before). The same f here gives
    1 - f * (1 - before). Without any agreement this is the null itself, and it never exceeds 1,
    unlike before plus the null's gain. low and high come from the null's interval.
    """
    if before.value is None or null.before is None or null.mean is None or null.ends is None:
        return None
    left = (1.0 - before.value) / (1.0 - null.before)
    mean, low, high = (1.0 - left * (1.0 - end) for end in (null.mean, *null.ends))
    return mean, low, high


def describe_gain(before: Alpha, after: Alpha, null: NullAlpha) -> str:
    """A sentence that says how much of the change in alpha is real.

    Only the part beyond `selection_alpha` can be real. It is an upper bound: the ledger may
    remove more from these ratings than from shuffled ones.
    """
    selection = selection_alpha(before, null)
    if before.value is None or after.value is None or null.ends is None or selection is None:
        why = before.reason or after.reason or null.reason
        return f"How much of the change in alpha is real is unknown: {why}."
    gain = after.value - before.value
    text = f"Alpha goes from {before.value:.3f} to {after.value:.3f}. "
    if gain <= 0:
        return f"{text}There is no gain."
    text += (
        f"On the same ratings shuffled among the items, without any real agreement, the "
        f"same steps give {null.mean:.3f} ({null.ends[0]:.3f} to {null.ends[1]:.3f} in 95% of "
        f"shuffles). The selection alone would give about {selection[0]:.3f}: "
    )
    if after.value <= selection[2]:
        return f"{text}none of the gain of {gain:.3f} need be real."
    real = min(gain, after.value - selection[0])
    return f"{text}of the gain of {gain:.3f}, at most {real:.3f} is real."


def _value(result: Alpha) -> float:
    return np.nan if result.value is None else result.value
