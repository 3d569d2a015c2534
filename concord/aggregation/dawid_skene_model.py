"""Dawid and Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using EM.

A unit has a true category t with probability p_t, and rater r answers c with probability
e_r[c, t]. EM alternates between the posterior of t in every unit and the p and e that fit it best.
It starts with the shares of the votes. Categories are nominal: their distances matter only in the
expected value.

The starting point and the minimum of the error rates are those of crowd-kit's DawidSkene; tests
compare the posteriors with it.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.aggregation.posterior import CategoryLabels, Posterior, normalise_rows
from concord.reliability import Ratings

# An error that was not observed is still possible.
FLOOR = 1e-10


def dawid_skene(ratings: Ratings, *, iterations: int = 100, tolerance: float = 1e-5) -> Posterior:
    """The posterior of each unit's category after EM (deterministic).

    Stops when the log-likelihood per rating grows by less than `tolerance`, or after
    `iterations`. Raises RatingsError where there are too many categories (`Labels.from_ratings`).
    """
    labels = CategoryLabels.from_ratings(ratings)
    if not len(ratings):
        return labels.posterior(np.empty((0, 0)), ratings.n_units)
    n, v = len(ratings), len(labels.categories)
    # A row per (rater, category) sums over the rater's ratings of that category.
    by_answer = scipy.sparse.csr_array(
        (np.ones(n), (labels.raters * v + labels.codes, np.arange(n))),
        shape=(labels.n_raters * v, n),
    )
    probabilities = labels.shares
    last = -np.inf
    for _ in range(max(1, iterations)):
        errors = _error_rates(labels, by_answer, probabilities)
        priors = np.maximum(probabilities.mean(axis=0), FLOOR)
        log_weights = np.log(priors) + labels.by_unit @ np.log(errors)[labels.raters, labels.codes]
        probabilities, likelihood = normalise_rows(log_weights)
        if likelihood / n - last < tolerance:
            break
        last = likelihood / n
    return labels.posterior(probabilities, ratings.n_units)


def _error_rates(
    labels: CategoryLabels, by_answer: scipy.sparse.csr_array, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """e_r[c, t], shape (n_raters, V, V): each rater's answers c to units of true category t."""
    v = len(labels.categories)
    counts = (by_answer @ probabilities[labels.units]).reshape(labels.n_raters, v, v)
    rates = np.maximum(counts, FLOOR)
    # Answers that a rater never gave have rate 0.
    gave = np.zeros((labels.n_raters, v), dtype=np.bool_)
    gave[labels.raters, labels.codes] = True
    rates *= gave[:, :, None]
    totals = rates.sum(axis=1, keepdims=True)
    rates = np.divide(rates, totals, out=np.ones_like(rates), where=totals > 0)
    return np.asarray(np.where(gave[:, :, None], rates, 1.0))
