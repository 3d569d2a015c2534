"""Aggregation methods by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from concord.aggregation.dawid_skene_model import dawid_skene
from concord.aggregation.mace_model import mace
from concord.aggregation.means import mean, median, trimmed_mean, zscore_mean
from concord.reliability import Ratings, RatingsError

_METHODS: dict[str, Callable[[Ratings, float, int], NDArray[np.float64]]] = {
    "mean": lambda ratings, _proportion, _seed: mean(ratings),
    "median": lambda ratings, _proportion, _seed: median(ratings),
    "trimmed-mean": lambda ratings, proportion, _seed: trimmed_mean(ratings, proportion),
    "zscore-mean": lambda ratings, _proportion, _seed: zscore_mean(ratings),
    "dawid-skene": lambda ratings, _proportion, _seed: dawid_skene(ratings).expected,
    "mace": lambda ratings, _proportion, seed: (
        mace(ratings, np.random.default_rng(seed)).posterior.expected
    ),
}
METHODS = tuple(_METHODS)


def gold_scores(
    ratings: Ratings, method: str = "mean", *, proportion: float = 0.1, seed: int = 0
) -> NDArray[np.float64]:
    """The gold score of each unit, float64 of shape (n_units,), NaN for a unit without ratings.

    `proportion` is for "trimmed-mean", `seed` for "mace". "dawid-skene" and "mace" return the
    expected value over categories. Raises RatingsError for an unknown method.
    """
    if method not in _METHODS:
        raise RatingsError(f"unknown method '{method}'; choose one of {', '.join(METHODS)}")
    return _METHODS[method](ratings, proportion, seed)
