"""MACE: Hovy, Berg-Kirkpatrick, Vaswani and Hovy (NAACL 2013), Learning Whom to Trust with MACE.

On each unit, rater r either knows the true category and gives it, or spams: answers by a strategy
that does not depend on the unit. The share of units that r knows (Beta prior) and the strategy
(Dirichlet prior) are estimated by variational EM from several random starts; the one with the best
likelihood is used. The prior of the true categories is uniform.

Priors and starting range are those of crowd-kit's MACE; tests compare the posteriors with it. Here
the starts differ from each other, and likelihoods are summed as logarithms, so that units with
many ratings do not underflow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.aggregation.posterior import CategoryLabels, Posterior, normalise_rows
from concord.reliability import Ratings, RatingsError

KNOWING_PRIOR = 0.5
STRATEGY_PRIOR = 10.0
NOISE = 1.5


@dataclass(frozen=True, eq=False)
class Mace:
    """The result of MACE: each unit's posterior, and each rater's competence, (n_raters,).

    `competence` is in [0, 1], higher is better; NaN for a rater without ratings.
    """

    posterior: Posterior
    competence: NDArray[np.float64]
    log_likelihood: float


def mace(
    ratings: Ratings,
    rng: np.random.Generator,
    *,
    restarts: int = 10,
    iterations: int = 50,
) -> Mace:
    """Fit MACE to the ratings. The same generator state gives the same result.

    Raises RatingsError for fewer than one start, and where there are too many categories.
    """
    if restarts < 1:
        raise RatingsError(f"restarts must be 1 or more, not {restarts}")
    labels = CategoryLabels.from_ratings(ratings)
    rated = np.isin(np.arange(ratings.n_raters), ratings.raters)
    if not len(ratings):
        posterior = labels.posterior(np.empty((0, 0)), ratings.n_units)
        return Mace(posterior, np.full(ratings.n_raters, np.nan), 0.0)
    best = max(
        (_fit(labels, rng, iterations) for _ in range(restarts)), key=lambda fit: fit.likelihood
    )
    posterior = labels.posterior(best.probabilities, ratings.n_units)
    competence = best.knows / (best.knows + best.spams)
    return Mace(posterior, np.where(rated, competence, np.nan), best.likelihood)


@dataclass(frozen=True, eq=False)
class _Fit:
    probabilities: NDArray[np.float64]
    knows: NDArray[np.float64]
    spams: NDArray[np.float64]
    likelihood: float


def _fit(labels: CategoryLabels, rng: np.random.Generator, iterations: int) -> _Fit:
    shape = (labels.n_raters, len(labels.categories))
    start = rng.uniform(1.0, 1.0 + NOISE, size=(labels.n_raters, 2))
    spams, knows = (start / start.sum(axis=1, keepdims=True)).T
    strategy = rng.uniform(1.0, 1.0 + NOISE, size=shape)
    strategy /= strategy.sum(axis=1, keepdims=True)
    for _ in range(iterations):
        _, spamming, _ = _expect(labels, knows, spams, strategy)
        answers = labels.raters * shape[1] + labels.codes
        counts = np.bincount(answers, spamming, shape[0] * shape[1]).reshape(shape)
        strategy = _expected_shares(counts + STRATEGY_PRIOR)
        knowing = np.bincount(labels.raters, 1.0 - spamming, shape[0])
        both = np.stack([counts.sum(axis=1), knowing], axis=1).astype(np.float64)
        spams, knows = _expected_shares(both + KNOWING_PRIOR).T
    probabilities, _, likelihood = _expect(labels, knows, spams, strategy)
    return _Fit(probabilities, knows, spams, likelihood)


def _expect(
    labels: CategoryLabels,
    knows: NDArray[np.float64],
    spams: NDArray[np.float64],
    strategy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The units' posterior (units, V), each rating's probability of being spam (n,), and the
    log-likelihood."""
    v = len(labels.categories)
    spam = spams[labels.raters] * strategy[labels.raters, labels.codes]
    know = knows[labels.raters]
    # A rating adds log(spam + know) to its own category and log(spam) to every other.
    others = labels.by_unit @ np.log(spam)
    own = np.bincount(
        labels.units * v + labels.codes,
        np.log1p(know / spam),
        len(labels.rated) * v,
    ).reshape(-1, v)
    probabilities, likelihood = normalise_rows(others[:, None] + own - np.log(v))
    spamming = 1.0 - probabilities[labels.units, labels.codes] * know / (spam + know)
    return probabilities, spamming, likelihood


def _expected_shares(counts: NDArray[np.floating]) -> NDArray[np.float64]:
    """exp of the expected logarithm of shares with a Dirichlet of these parameters, by row."""
    return np.asarray(
        np.exp(
            scipy.special.digamma(counts) - scipy.special.digamma(counts.sum(axis=1, keepdims=True))
        )
    )
