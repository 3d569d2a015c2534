"""A second look at a judge's disagreements with people: who was nearer to what others say?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, clustered_error, t_estimate

ALPHA = 0.05
TOLERANCE = 1e-9
"""Distances that differ by a smaller share of the range of all scores are equal."""
Nearer = Literal["judge", "people", "neither"]


@dataclass(frozen=True)
class SecondLookFinding:
    """What new ratings say of n disagreements.

    share: the share of the distance between people's first scores and the judge's grades that the
    new scores cover, with its 95% interval clustered by passage: 0, people were right; 1, the judge
    was. judge, people: on how many candidates the new score is nearer to the judge's grade (to
    people's first score); ties: both are as near. nearer: what the interval says of all; above
    one half the judge was nearer.
    """

    n: int
    share: Estimate
    judge: int
    people: int
    ties: int
    nearer: Nearer


def second_look(
    grades: NDArray[np.float64],
    first: NDArray[np.float64],
    again: NDArray[np.float64],
    clusters: NDArray[np.int64],
) -> SecondLookFinding:
    """Compare a judge's grades and people's first scores with new scores by other people.

    All (n,) on one scale, finite. The share is the slope of `again - first` on `grades - first`
    through the origin. With independent errors it estimates v / (v + w), where v is the variance of
    the error of people's first scores and w that of the judge's. Choosing the largest
    disagreements does not bias it, since it is a regression on what was chosen by. Undefined
    without a disagreement.
    """
    distance, moved = grades - first, again - first
    to_judge, to_people = np.abs(again - grades), np.abs(moved)
    scores = np.concatenate([grades, first, again])
    least = TOLERANCE * float(np.ptp(scores)) if len(scores) else 0.0
    tied = np.abs(to_judge - to_people) <= least
    share = _slope(distance, moved, clusters, least)
    return SecondLookFinding(
        n=len(first),
        share=share,
        judge=int(np.count_nonzero(~tied & (to_judge < to_people))),
        people=int(np.count_nonzero(~tied & (to_people < to_judge))),
        ties=int(np.count_nonzero(tied)),
        nearer=_nearer(share),
    )


def _slope(
    distance: NDArray[np.float64],
    moved: NDArray[np.float64],
    clusters: NDArray[np.int64],
    least: float,
) -> Estimate:
    """least: distances that are no larger are 0."""
    if not len(distance) or float(np.abs(distance).max()) <= least:
        return Estimate(None, reason="the judge and people agree on all of them")
    squares = float(np.mean(distance**2))
    slope = float(np.mean(distance * moved)) / squares
    # The influence of each candidate on the slope; its clustered mean has the slope's error.
    error = clustered_error(distance * (moved - slope * distance) / squares, clusters)
    return t_estimate(slope, *error, len(distance), clusters=len(np.unique(clusters)))


def _nearer(share: Estimate) -> Nearer:
    """By the interval; where all passages have the same share, by the sign test over them."""
    if share.value is None:
        return "neither"
    low, high = share.ci or (0.0, 1.0)
    if share.ci is None and 0.5 ** ((share.clusters or 1) - 1) <= ALPHA:
        low = high = share.value
    return "judge" if low > 0.5 else "people" if high < 0.5 else "neither"
