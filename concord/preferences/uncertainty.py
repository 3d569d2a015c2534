"""Intervals of figures from choices: over questions, and over raters where there are enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np

from concord.arrays import Floats
from concord.inference import Estimate, Scale, scaled_interval, t_quantile, too_few_clusters
from concord.inference.two_way import RaterWeights

ROUNDING = 1e-9
"""A standard error of a share or of log odds that is smaller is 0."""


class _Choice(Protocol):
    @property
    def question(self) -> str: ...

    @property
    def worker(self) -> str: ...


def raters_of(rows: Iterable[_Choice]) -> RaterWeights:
    """Who made the choices on which question, for estimates from all of them."""
    table = np.array([(row.question, row.worker) for row in rows], dtype=np.str_)
    codes = (np.unique(names, return_inverse=True)[1].reshape(-1) for names in table.T)
    return RaterWeights.equal(*codes)


def choice_estimates(
    values: Floats, influence: Floats, raters: RaterWeights, scale: Scale
) -> list[Estimate]:
    """Estimates of K figures from what the choices contribute to them, (n, K), with intervals on
    the scale of the figures; none for fewer than MIN_CLUSTERS questions, and where nothing varies.
    """
    n, questions = len(influence), len(np.unique(raters.passages))
    over = "questions and raters" if raters.are_random else "questions"
    few = too_few_clusters(questions, "questions")
    errors, degrees = raters.errors(
        np.diag(raters.over_passages(influence)), np.diag(raters.products(influence))
    )
    rows = []
    for value, error, freedom in zip(
        values.tolist(), errors.tolist(), degrees.tolist(), strict=True
    ):
        reason = few or ("all questions have the same choices" if error <= ROUNDING else "")
        half = t_quantile(0.975, freedom) * error
        low, high = (None, None) if reason else scaled_interval(value, half, scale)
        rows.append(
            Estimate(
                value, low, high,
                n=n, clusters=questions, unit="questions", over=over, reason=reason,
            )
        )  # fmt: skip
    return rows


def difference_errors(influence: Floats, raters: RaterWeights) -> tuple[Floats, Floats]:
    """(standard errors, degrees of freedom), each (K, K), of the differences of K figures."""
    covariances = raters.over_passages(influence), raters.products(influence)
    own = [np.diag(one) for one in covariances]
    return raters.errors(
        *(of[:, None] + of - 2 * one for of, one in zip(own, covariances, strict=True))
    )
