"""Intervals of figures from choices: over questions, and over raters where there are enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import (
    Estimate,
    Scale,
    scaled_interval,
    t_quantile,
    too_few_clusters,
)
from concord.inference.two_way import RaterWeights

ROUNDING = 1e-9
"""A standard error of a share or of log odds that is smaller is 0."""


@dataclass(frozen=True, eq=False)
class Choosers:
    """Of n choices, the questions and the raters, int64 (n,), as codes."""

    questions: NDArray[np.int64]
    raters: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str]]) -> Choosers:
        """From the question and the rater of each choice."""
        table = np.array(list(rows), dtype=np.str_).reshape(-1, 2)
        questions, raters = (
            np.unique(names, return_inverse=True)[1].reshape(-1) for names in table.T
        )
        return cls(questions, raters)

    @property
    def n_questions(self) -> int:
        return len(np.unique(self.questions))

    @property
    def weights(self) -> RaterWeights:
        """Of estimates from all choices."""
        return RaterWeights.equal(self.questions, self.raters)


def choice_estimates(
    values: NDArray[np.float64], influence: NDArray[np.float64], choosers: Choosers, scale: Scale
) -> list[Estimate]:
    """Estimates of K figures from what the choices contribute to them, (n, K), with intervals on
    the scale of the figures; none for fewer than MIN_CLUSTERS questions, and where nothing varies.
    """
    n, questions, weights = len(influence), choosers.n_questions, choosers.weights
    over = "questions and raters" if weights.are_random else "questions"
    few = too_few_clusters(questions, "questions")
    errors, degrees = weights.errors(
        np.diag(weights.over_passages(influence)), np.diag(weights.products(influence))
    )
    rows = []
    for value, error, freedom in zip(
        values.tolist(), errors.tolist(), degrees.tolist(), strict=True
    ):
        low, high, reason = None, None, few
        if error <= ROUNDING and not reason:
            reason = "all questions have the same choices"
        if not reason:
            low, high = scaled_interval(value, t_quantile(0.975, freedom) * error, scale)
        rows.append(
            Estimate(
                value, low, high,
                n=n, clusters=questions, unit="questions", over=over, reason=reason,
            )
        )  # fmt: skip
    return rows


def difference_errors(
    influence: NDArray[np.float64], choosers: Choosers
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(standard errors, degrees of freedom), each (K, K), of the differences of K figures."""
    weights = choosers.weights
    return weights.errors(
        _contrasts(weights.over_passages(influence)), _contrasts(weights.products(influence))
    )


def _contrasts(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variances of all differences, (K, K)."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)
