"""What a ledger makes of noise: alpha on the same ratings shuffled among units.

Any step that selects ratings by how well they agree manufactures agreement: on ten uniform random
ratings a unit, KPQA's filter lifts ordinal alpha from 0.00 to 0.35. The null says how much.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.filtering.ledger import Ledger
from concord.filtering.replaying import selectors
from concord.reliability import Alpha, Level, Ratings, RatingsError, alpha


@dataclass(frozen=True)
class Null:
    """Alpha after a ledger on shuffled ratings.

    mean: over the draws; low, high: their 2.5th and 97.5th percentiles; None, with a reason,
    where alpha was undefined in every draw. before: mean alpha of the shuffled ratings before
    the ledger, near 0. draws: shuffles, of which `undefined` had no alpha after the ledger.
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
        return None if self.low is None or self.high is None else (self.low, self.high)


def shuffled_null(
    ratings: Ratings,
    ledger: Ledger,
    rng: np.random.Generator,
    draws: int = 200,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
) -> Null:
    """Replay the ledger on `draws` shuffles of the ratings among the units.

    A rating goes to another unit with its value, its rater, its time and its place in the stored
    order; every unit keeps its number of ratings. So raters keep their habits (a worker who
    always rates high still does) and only what they say about the units is lost. A rater may
    then have two ratings of a unit, which alpha does not see. A rating dropped by hand, or a
    worker excluded by name, is dropped or excluded in the shuffle too; what the person who chose
    them would have chosen there cannot be known, so for such steps the null is too low.
    """
    if draws < 1:
        raise RatingsError(f"{draws} draws are too few")
    chooses = selectors(ledger, ratings, seconds)
    before, after = np.full(draws, np.nan), np.full(draws, np.nan)
    for draw in range(draws):
        shuffled = replace(ratings, units=rng.permutation(ratings.units))
        before[draw] = _value(alpha(shuffled, level))
        places = np.arange(len(ratings))
        for choose in chooses:
            chosen, _ = choose(shuffled, places)
            shuffled, places = shuffled.keep(chosen), places[chosen]
        after[draw] = _value(alpha(shuffled, level))
    defined = after[~np.isnan(after)]
    undefined = draws - len(defined)
    start = float(np.nanmean(before)) if not np.isnan(before).all() else None
    if not len(defined):
        reason = "alpha is undefined after the ledger on every shuffle"
        return Null(None, None, None, start, draws, undefined, reason)
    low, high = np.percentile(defined, (2.5, 97.5))
    return Null(float(defined.mean()), float(low), float(high), start, draws, undefined)


def selected_alpha(before: Alpha, null: Null) -> tuple[float, float, float] | None:
    """The alpha that selecting alone would lead to from `before`: (mean, low, high), or None.

    1 - alpha is the share of the chance disagreement that is left. On shuffled ratings the
    ledger multiplies it by f = (1 - null.mean) / (1 - null.before); the same f here would give
    1 - f * (1 - before). From no agreement at all that is the null itself, and it never passes 1
    as adding the null's gain would. low and high come from the null's interval.
    """
    if before.value is None or null.before is None or null.mean is None or null.ends is None:
        return None
    left = (1.0 - before.value) / (1.0 - null.before)
    mean, low, high = (1.0 - left * (1.0 - end) for end in (null.mean, *null.ends))
    return mean, low, high


def gain_sentence(before: Alpha, after: Alpha, null: Null) -> str:
    """What of the change in alpha is real, in plain words.

    Only what goes beyond `selected_alpha` can be; it is an upper bound, as the ledger may cut
    more out of ratings spread as these are than out of shuffled ones.
    """
    selected = selected_alpha(before, null)
    if before.value is None or after.value is None or null.ends is None or selected is None:
        why = before.reason or after.reason or null.reason
        return f"What of the change in alpha is real cannot be said: {why}."
    gain = after.value - before.value
    told = f"Alpha goes from {before.value:.3f} to {after.value:.3f}. "
    if gain <= 0:
        return f"{told}There is no gain."
    told += (
        f"On the same ratings shuffled among the items, where there is nothing to agree on, the "
        f"same steps give {null.mean:.3f} ({null.ends[0]:.3f} to {null.ends[1]:.3f} in 95% of "
        f"shuffles). Selecting as much here would by itself give about {selected[0]:.3f}: "
    )
    if after.value <= selected[2]:
        return f"{told}none of the gain of {gain:.3f} need be real."
    real = min(gain, after.value - selected[0])
    return f"{told}of the gain of {gain:.3f}, at most {real:.3f} is real."


def _value(found: Alpha) -> float:
    return np.nan if found.value is None else found.value
