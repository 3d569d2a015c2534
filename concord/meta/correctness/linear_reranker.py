"""A linear reranker: it picks the candidate with the highest predicted target.

Ridge regression of the target on the features, both centred within questions, because a pick
depends only on the differences between candidates for the same question.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.meta.groups import Groups
from concord.word_overlap import sim_text

FEATURES = ("length in words", "overlap with the question")
# Penalty on the weights of features that are scaled to unit variance within questions.
RIDGE = 0.01
# Predictions that differ only by rounding are ties.
TIE_DECIMALS = 9


def candidate_features(questions: Sequence[str], candidates: Sequence[str]) -> Floats:
    """FEATURES of n candidates, (2, n): log(1 + words), and AVA's sim-text, from 0 to 1."""
    words = [np.log1p(len(candidate.split())) for candidate in candidates]
    overlap = [
        sim_text(question, candidate)
        for question, candidate in zip(questions, candidates, strict=True)
    ]
    return np.array([words, overlap], dtype=np.float64)


def questions(items: Integers, part: Booleans) -> Groups:
    """The questions of a part with two candidates or more; items, part: (n,)."""
    sizes = np.bincount(items[part], minlength=int(items.max(initial=-1)) + 1)
    return Groups.from_codes(np.where(part & (sizes[items] > 1), items, -1).astype(np.int64))


def predictions(features: Floats, targets: Floats, fitted_on: Groups) -> Floats:
    """Predictions of T targets for all candidates, (T, n); each target has weights of its own.

    features: (F, n), targets: (T, n), finite; fitted on the candidates of the groups alone. A
    feature or target that does not differ within any question has no weight. Predictions compare
    within a question only, in standard deviations of their target.
    """
    x = fitted_on.centre(features[:, fitted_on.order])
    y = fitted_on.centre(targets[:, fitted_on.order])
    spread, scale = _deviation(x), _deviation(y)
    x, y = x / spread[:, None], y / scale[:, None]
    n = x.shape[1]
    weights = np.linalg.solve(x @ x.T + RIDGE * n * np.eye(len(x)), x @ y.T)  # (F, T)
    middle = features[:, fitted_on.order].mean(axis=1)
    values = weights.T @ ((features - middle[:, None]) / spread[:, None])
    return np.asarray(np.round(values, TIE_DECIMALS))


def top_picks(values: Floats, groups: Groups) -> Floats:
    """Each candidate's share of its question's pick, in the groups' order, (N,): the highest of
    `values`, (n,), takes it all; several that are equally high share it."""
    sorted_values = values[groups.order]
    top = np.repeat(np.maximum.reduceat(sorted_values, groups.starts), groups.sizes)
    is_top = (sorted_values == top).astype(np.float64)
    return np.asarray(is_top / np.repeat(groups.sums(is_top), groups.sizes))


def _deviation(centred: Floats) -> Floats:
    """Root mean square of each row, 1 where it is zero, so that a constant row stays zero."""
    deviations = np.sqrt(np.mean(centred**2, axis=1))
    return np.where(deviations > 0, deviations, 1.0)
