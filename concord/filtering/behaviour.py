"""Signs of careless work: too fast, always the same value, always the same text.

Each function takes ratings in stored order and returns one figure per worker. The figures are
signs for a researcher, not verdicts: on an easy stage, honest work is fast and uniform.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from concord.reliability import RatingsError


def longest_runs(
    workers: NDArray[np.int64], values: NDArray[np.float64], n_workers: int
) -> NDArray[np.int64]:
    """The longest run of equal consecutive values of each worker, shape (n_workers,).

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
    """The share of each worker's ratings that have the worker's most frequent value.

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
    """Which workers seem to give the same value without reading, shape (n_workers,).

    Workers with `at_least` ratings or more, if `run` ratings in a row are equal or if at least
    `share` of the ratings have one value.
    """
    counts = np.bincount(workers, minlength=n_workers)
    runs = longest_runs(workers, values, n_workers)
    shares = commonest_shares(workers, values, n_workers)
    return np.asarray((counts >= at_least) & ((runs >= run) | (shares >= share)))


def too_fast_shares(
    workers: NDArray[np.int64], seconds: NDArray[np.float64], n_workers: int, *, minimum: float
) -> NDArray[np.float64]:
    """The share of each worker's timed ratings that took less than `minimum` seconds.

    `seconds` is NaN where the time is unknown. Shape (n_workers,), each in [0, 1]; NaN for a
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
    """The share of each worker's texts that are equal to the worker's most frequent text.

    Case and white space are ignored; empty texts are not counted. Shape (n_workers,), each in
    (0, 1]; NaN for a worker with fewer than `at_least` texts.
    """
    _same_length(workers, texts)
    normalized = [" ".join(text.casefold().split()) for text in texts]
    has_text = np.array([bool(text) for text in normalized], dtype=np.bool_)
    text_codes: dict[str, int] = {}
    codes = np.array(
        [text_codes.setdefault(text, len(text_codes)) for text in normalized], dtype=np.int64
    )
    shares = _largest_share(workers[has_text], codes[has_text], n_workers)
    shares[np.bincount(workers[has_text], minlength=n_workers) < at_least] = np.nan
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
        raise RatingsError(f"workers has {len(workers)} entries for {len(other)} ratings")
