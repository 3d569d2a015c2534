"""Signs of work not done: too fast, the same button every time, the same text every time.

Each function looks at ratings in stored order and returns one figure a worker. They are signs for
a researcher to look at, not verdicts: on an easy stage honest work is fast and uniform.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.reliability import RatingsError


def longest_runs(
    workers: NDArray[np.int64], values: NDArray[np.float64], n_workers: int
) -> NDArray[np.int64]:
    """The longest run of equal values each worker gave one after the other, shape (n_workers,).

    `workers` and `values`, of shape (n,), are in the order in which the ratings were made.
    """
    _same_length(workers, values)
    order = np.argsort(workers, kind="stable")
    workers, values = workers[order], values[order]
    begins = np.ones(len(workers), dtype=np.bool_)
    begins[1:] = (workers[1:] != workers[:-1]) | (values[1:] != values[:-1])
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, len(workers)))
    longest = np.zeros(n_workers, dtype=np.int64)
    np.maximum.at(longest, workers[starts], lengths)
    return longest


def commonest_shares(
    workers: NDArray[np.int64], values: NDArray[np.float64], n_workers: int
) -> NDArray[np.float64]:
    """The share of each worker's ratings that have the worker's commonest value.

    Shape (n_workers,), each in (0, 1]; NaN for a worker without ratings.
    """
    _same_length(workers, values)
    _, codes = np.unique(values, return_inverse=True)
    return _largest_share(workers, codes, n_workers)


def straight_liners(
    workers: NDArray[np.int64],
    values: NDArray[np.float64],
    n_workers: int,
    *,
    run: int = 10,
    share: float = 0.9,
    at_least: int = 10,
) -> NDArray[np.bool_]:
    """Workers who seem to press one button: shape (n_workers,).

    Those with `at_least` ratings or more of which `run` in a row are equal, or of which at least
    `share` have one value.
    """
    counts = np.bincount(workers, minlength=n_workers)
    runs = longest_runs(workers, values, n_workers)
    shares = commonest_shares(workers, values, n_workers)
    return np.asarray((counts >= at_least) & ((runs >= run) | (shares >= share)))


def too_fast_shares(
    workers: NDArray[np.int64], seconds: NDArray[np.float64], n_workers: int, *, minimum: float
) -> NDArray[np.float64]:
    """The share of each worker's timed ratings made in less than `minimum` seconds.

    `seconds` is NaN where the time is not known. Shape (n_workers,), each in [0, 1]; NaN for a
    worker without timed ratings.
    """
    _same_length(workers, seconds)
    timed = ~np.isnan(seconds)
    counts = np.bincount(workers[timed], minlength=n_workers)
    fast = np.bincount(workers[timed], seconds[timed] < minimum, n_workers)
    return np.asarray(np.divide(fast, counts, out=np.full(n_workers, np.nan), where=counts > 0))


def same_text_shares(
    workers: NDArray[np.int64], texts: Sequence[str], n_workers: int, *, at_least: int = 2
) -> NDArray[np.float64]:
    """The share of each worker's written texts that are one and the same.

    Case and white space do not tell texts apart; empty ones are not counted. Shape (n_workers,),
    each in (0, 1]; NaN for a worker with fewer than `at_least` texts.
    """
    _same_length(workers, texts)
    plain = [" ".join(text.casefold().split()) for text in texts]
    written = np.array([bool(text) for text in plain], dtype=np.bool_)
    known: dict[str, int] = {}
    codes = np.array([known.setdefault(text, len(known)) for text in plain], dtype=np.int64)
    shares = _largest_share(workers[written], codes[written], n_workers)
    shares[np.bincount(workers[written], minlength=n_workers) < at_least] = np.nan
    return shares


def _largest_share(
    workers: NDArray[np.int64], codes: NDArray[np.int64], n_workers: int
) -> NDArray[np.float64]:
    width = int(codes.max(initial=0)) + 1
    cells, counts = np.unique(workers * width + codes, return_counts=True)
    largest = np.zeros(n_workers)
    np.maximum.at(largest, cells // width, counts)
    total = np.bincount(workers, minlength=n_workers)
    return np.asarray(np.divide(largest, total, out=np.full(n_workers, np.nan), where=total > 0))


def _same_length(workers: NDArray[np.int64], other: Sequence[str] | NDArray[np.float64]) -> None:
    if len(workers) != len(other):
        raise RatingsError(f"{len(workers)} workers are given for {len(other)} ratings")
