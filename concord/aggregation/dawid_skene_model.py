"""Dawid and Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using EM.

A unit has a true category t with probability p_t, and rater r answers c with probability
e_r[c, t]. EM alternates the posterior of t in every unit with the p and e that fit it best,
beginning with the shares of the votes. Categories are nominal: that 4 is nearer to 5 than 1 is
enters only when the expected value is taken.

The starting point and the floor of the error rates are those of crowd-kit's DawidSkene, whose
posteriors the tests hold these against.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.aggregation.posterior import Labels, Posterior, normalised
from concord.reliability import Ratings

# No error is impossible merely because it was not seen.
FLOOR = 1e-10


def dawid_skene(ratings: Ratings, *, iterations: int = 100, tolerance: float = 1e-5) -> Posterior:
    """The posterior of each unit's category after EM; there is no chance in it.

    Stops when the log-likelihood per rating grows by less than `tolerance`, or after
    `iterations`. Raises RatingsError where there are too many categories (`Labels.of`).
    """
    labels = Labels.of(ratings)
    if not len(ratings):
        return labels.posterior(np.empty((0, 0)), ratings.n_units)
    n, v = len(ratings), len(labels.categories)
    # Sums over the ratings by one rater of one category, a row each.
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
        probabilities, likelihood = normalised(log_weights)
        if likelihood / n - last < tolerance:
            break
        last = likelihood / n
    return labels.posterior(probabilities, ratings.n_units)


def _error_rates(
    labels: Labels, by_answer: scipy.sparse.csr_array, probabilities: NDArray[np.float64]
) -> NDArray[np.float64]:
    """e_r[c, t], shape (n_raters, V, V): each rater's answers c to units of true category t."""
    v = len(labels.categories)
    counts = (by_answer @ probabilities[labels.units]).reshape(labels.n_raters, v, v)
    rates = np.maximum(counts, FLOOR)
    # Answers a rater never gave to anything are not among the rater's answers.
    gave = np.zeros((labels.n_raters, v), dtype=np.bool_)
    gave[labels.raters, labels.codes] = True
    rates *= gave[:, :, None]
    totals = rates.sum(axis=1, keepdims=True)
    rates = np.divide(rates, totals, out=np.ones_like(rates), where=totals > 0)
    return np.asarray(np.where(gave[:, :, None], rates, 1.0))
