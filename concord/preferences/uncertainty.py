"""Intervals of figures from choices: over questions, and over raters where there are enough."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, Scale, too_few_clusters
from concord.inference.resampling import scaled_interval
from concord.inference.tails import t_quantile
from concord.inference.two_way import (
    RaterWeights,
    combined_error,
    passage_products,
    rater_products,
)


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

    def weights(self) -> RaterWeights:
        """Of estimates from all choices."""
        n = len(self.questions)
        return RaterWeights.of(np.full(n, 1 / n), self.questions, self.raters)


def choice_estimates(
    values: NDArray[np.float64], influence: NDArray[np.float64], choosers: Choosers, scale: Scale
) -> list[Estimate]:
    """Estimates of K figures from what the choices contribute to them, (n, K), with intervals on
    the scale of the figures; none for fewer than MIN_CLUSTERS questions, and where nothing varies.
    """
    questions, over = choosers.n_questions, "questions"
    reason = too_few_clusters(questions, "questions")
    errors, degrees = np.zeros((2, len(values)))
    if not reason:
        errors, degrees, has_raters = choice_errors(influence, choosers)
        over = "questions and raters" if has_raters else over
    rows = []
    for value, error, freedom in zip(
        values.tolist(), errors.tolist(), degrees.tolist(), strict=True
    ):
        row = Estimate(
            value, n=len(influence), clusters=questions, unit="questions", over=over, reason=reason
        )
        if error:
            low, high = scaled_interval(value, t_quantile(0.975, freedom) * error, scale)
            row = replace(row, low=low, high=high)
        elif not reason:
            row = replace(row, reason="all choices agree")
        rows.append(row)
    return rows


def choice_errors(
    influence: NDArray[np.float64], choosers: Choosers
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """(standard errors (K,), degrees of freedom (K,), whether raters are random) of K figures."""
    covariance = passage_products(influence, choosers.questions)
    products = rater_products(influence, choosers.questions, choosers.raters)
    return _errors(np.diag(covariance), np.diag(products), choosers)


def difference_errors(
    influence: NDArray[np.float64], choosers: Choosers
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(standard errors, degrees of freedom), each (K, K), of the differences of K figures."""
    covariance = passage_products(influence, choosers.questions)
    products = rater_products(influence, choosers.questions, choosers.raters)
    errors, degrees, _ = _errors(_contrasts(covariance), _contrasts(products), choosers)
    return errors, degrees


def _contrasts(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The variances of all differences, (K, K)."""
    own = np.diag(covariance)
    return np.asarray(own[:, None] + own - 2 * covariance)


def _errors(
    over_questions: NDArray[np.float64], products: NDArray[np.float64], choosers: Choosers
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    weights, degrees = choosers.weights(), choosers.n_questions - 1
    over_questions = np.maximum(0.0, over_questions)
    if not weights.are_random:
        return np.sqrt(over_questions), np.full(over_questions.shape, float(degrees)), False
    over_raters = weights.variance(over_questions, products)
    return *combined_error(over_questions, degrees, over_raters, weights.degrees), True
