"""Probes of a judge's habits: what moves its scores although people's do not move.

Each has a figure with a 95% interval clustered by passage, and a verdict in words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.inference import (
    Estimate,
    clustered_error,
    clustered_mean,
    resampled_estimate,
    t_estimate,
    too_few_clusters,
)
from concord.meta.correlation import pearson_rows
from concord.reliability import Ratings, intraclass_correlation

STABLE, UNSTABLE = 0.9, 0.75


@dataclass(frozen=True)
class Probe:
    """name: what is probed. figure: its size. meaning: what the figure is, with its range and the
    value of no effect. verdict: what the interval says."""

    name: str
    figure: Estimate
    meaning: str
    verdict: str


def probe_stability(
    answers: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    draws: int = 200,
) -> Probe:
    """How equal repeated answers about one item are.

    answers: float64 (n, repeats), NaN without a valid answer. The figure is the intraclass
    correlation of one answer, ICC(1): the share of the variance of answers that lies between
    items, at most 1; its interval is by the bootstrap over clusters. Items with one answer are
    left out.
    """
    meaning = "ICC(1) of repeated answers; 1: always the same answer, 0: as if drawn by lot"
    rows = np.sum(~np.isnan(answers), axis=1) >= 2
    if not rows.any():
        reason = "no candidate was judged twice"
        return Probe("stability", Estimate(None, reason=reason), meaning, reason)
    table, passages = answers[rows], clusters[rows]
    figure = _bootstrapped(lambda picked: _icc(table[picked]), passages, rng, draws)
    return Probe("stability", figure, meaning, _stability_verdict(figure))


def probe_verbosity(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    words: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    draws: int = 200,
) -> Probe:
    """Whether longer answers get higher scores than people's ratings explain.

    All (n,), finite; scores are higher for better answers. The figure is the partial rank
    correlation of score and number of words given people's score (Spearman), in [-1, 1]; its
    interval is by the bootstrap over clusters.
    """
    meaning = "partial rank correlation of score and length given people's score; 0: none"

    def partial(picked: NDArray[np.int64]) -> float:
        return _partial_rank_correlation(scores[picked], words[picked], gold[picked])

    figure = _bootstrapped(partial, clusters, rng, draws)
    verdict = _sign_verdict(
        figure, "prefers longer answers than people do", "prefers shorter answers than people do",
        "no preference for a length is seen",
    )  # fmt: skip
    return Probe("verbosity", figure, meaning, verdict)


def probe_self_preference(
    grades: NDArray[np.float64],
    gold: NDArray[np.float64],
    is_own: NDArray[np.bool_],
    clusters: NDArray[np.int64],
) -> Probe:
    """Whether a judge favours systems of its own family.

    grades: on people's scale. is_own: which answers are of the family. All (n,), finite. The
    figure is the mean of grade - people's score of the family's answers less that of the others,
    in points of the scale.
    """
    meaning = "how much more generous it is to its own family, in points of the scale; 0: not"
    name = "self-preference"
    if not is_own.any() or is_own.all():
        reason = "name the systems of the judge's family, not all of them"
        return Probe(name, Estimate(None, reason=reason), meaning, reason)
    residuals = grades - gold
    own, others = residuals[is_own].mean(), residuals[~is_own].mean()
    # The influence of each answer on the difference; its clustered mean has the difference's error.
    influence = np.where(
        is_own,
        (residuals - own) / is_own.mean(),
        -(residuals - others) / (~is_own).mean(),
    )
    error, degrees = clustered_error(influence, clusters)
    figure = t_estimate(
        float(own - others), error, degrees, len(gold),
        clusters=len(np.unique(clusters)), null=0.0,
    )  # fmt: skip
    verdict = _sign_verdict(
        figure, "favours its own family", "is stricter with its own family",
        "no preference for its own family is seen",
    )  # fmt: skip
    return Probe(name, figure, meaning, verdict)


def probe_change(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    clusters: NDArray[np.int64],
    *,
    name: str,
    meaning: str,
    verdicts: tuple[str, str, str],
) -> Probe:
    """The mean change of a judge's scores when one thing of its input is changed.

    before, after: (n,), finite. verdicts: for a change upwards, downwards, and none that is seen.
    """
    figure = clustered_mean(after - before, clusters)
    return Probe(name, figure, meaning, _sign_verdict(figure, *verdicts))


def _sign_verdict(figure: Estimate, above: str, below: str, none: str) -> str:
    if figure.value is None:
        return figure.reason
    if figure.ci is None:
        unchanged = figure.value == 0 and not too_few_clusters(figure.clusters or 0)
        return none if unchanged else "too few passages to tell"
    if figure.ci[0] > 0:
        return above
    return below if figure.ci[1] < 0 else none


def _stability_verdict(figure: Estimate) -> str:
    if figure.value is None or figure.ci is None:
        return figure.reason or "too few passages to tell"
    if figure.ci[0] >= STABLE:
        return "gives nearly the same answer every time"
    if figure.ci[1] < UNSTABLE:
        return "is unstable: ask several times and average"
    return "varies between answers: average several where single answers count"


def _bootstrapped(
    statistic: Callable[[NDArray[np.int64]], float],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    draws: int,
) -> Estimate:
    """The statistic of all rows, given as indices, with its interval over resampled clusters."""
    value = statistic(np.arange(len(clusters)))
    if np.isnan(value):
        return Estimate(None, reason="what is compared does not vary")
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    members = np.split(order, starts[1:])
    if reason := too_few_clusters(len(members)):
        return Estimate(value, clusters=len(members), unit="passages", reason=reason)
    values = np.empty(draws)
    for draw in range(draws):
        picked = rng.integers(len(members), size=len(members))
        values[draw] = statistic(np.concatenate([members[k] for k in picked]))
    return resampled_estimate(values, value, len(members), "correlation")


def _icc(table: NDArray[np.float64]) -> float:
    """ICC(1) of a table of answers (n, repeats), NaN where missing."""
    units, raters = np.nonzero(~np.isnan(table))
    single = intraclass_correlation(Ratings(units, raters, table[units, raters]))
    return float("nan") if single.value is None else single.value


def _partial_rank_correlation(
    first: NDArray[np.float64], second: NDArray[np.float64], given: NDArray[np.float64]
) -> float:
    """Spearman's partial correlation: Pearson's of the ranks' residuals on the ranks of `given`."""
    one, two, base = (scipy.stats.rankdata(values) for values in (first, second, given))
    design = np.column_stack([np.ones_like(base), base])
    ranks = np.column_stack([one, two])
    residuals = ranks - design @ np.linalg.lstsq(design, ranks, rcond=None)[0]
    # What is left of ranks that `given` determines is rounding.
    residuals[np.abs(residuals) < 1e-9 * len(base)] = 0.0
    return float(pearson_rows(residuals[:, 0], residuals[:, 1]))
