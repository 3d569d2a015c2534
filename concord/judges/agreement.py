"""Agreement of a judge with people, beside the raters' own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference import (
    Estimate,
    jackknifed_estimate,
    moment_sums,
    pearson_of_sums,
    resample_counts,
    resampled_estimate,
)
from concord.judges.labels import HumanLabels, most_frequent_labels
from concord.meta.correlation import kendall, spearman
from concord.reliability import RaterPairs, Ratings, Weights

MIN_CORRELATION = 0.80
"""Judge's Verdict (arXiv 2510.09738): the least Pearson's r with people's mean."""

Verdict = Literal["human-like", "more consistent than people", "not human-like"]


@dataclass(frozen=True)
class JudgeAgreement:
    """One judge against people.

    pearson, spearman, kendall: of its scores with the mean grade of each item, undefined for
    categories; the interval of Pearson's r is by the jackknife over clusters. accuracy: share of
    items where the judge gives the most frequent label; items whose first place is shared are left
    out. kappa: mean over raters of Cohen's kappa with the judge (quadratic weights for grades).
    people_kappa: mean over pairs of raters. z: how many standard deviations of the pairs' kappas
    lie between the two; positive if the judge agrees more than raters do. verdict: as in Judge's
    Verdict, None where z is undefined.
    """

    pearson: Estimate
    spearman: Estimate
    kendall: Estimate
    accuracy: Estimate
    kappa: Estimate
    people_kappa: Estimate
    z: Estimate
    verdict: Verdict | None


def judge_agreement(
    people: HumanLabels, judge: Floats, scores: Floats | None = None
) -> JudgeAgreement:
    """Compare a judge's labels (items,), NaN where missing, with people's.

    scores: the judge's own, (items,), of which correlations are; its labels by default.
    """
    rows = ~np.isnan(judge)
    r = rho = tau = Estimate(None, reason="labels are categories")
    if people.graded:
        own, gold = (judge if scores is None else scores)[rows], people.verdicts[rows]
        # Their intervals would take items as independent.
        rho, tau = (
            Estimate(one.value, reason=one.reason)
            for one in (spearman(own, gold), kendall(own, gold))
        )
        r = Estimate(None, reason=rho.reason)
        if rho.value is not None:
            sums = moment_sums(own[None], gold, people.clusters[rows])[:, 0]
            r = jackknifed_estimate(pearson_of_sums, sums, "correlation", null=0.0, unit="clusters")
    kappa, people_kappa, z = kappas_with_people(people, judge)
    accuracy, verdict = _accuracy(people, judge, rows), _verdict(r, z, graded=people.graded)
    return JudgeAgreement(
        pearson=r,
        spearman=rho,
        kendall=tau,
        accuracy=accuracy,
        kappa=kappa,
        people_kappa=people_kappa,
        z=z,
        verdict=verdict,
    )


def _accuracy(people: HumanLabels, judge: Floats, rows: Booleans) -> Estimate:
    labels = most_frequent_labels(people.values[rows])
    has_winner = ~np.isnan(labels)
    if not has_winner.any():
        return Estimate(None, reason="no item has one most frequent label")
    return Estimate(float(np.mean(judge[rows][has_winner] == labels[has_winner])))


def kappas_with_people(
    people: HumanLabels, judge: Floats, weights: Weights | None = None
) -> tuple[Estimate, Estimate, Estimate]:
    """(mean kappa of the judge with raters, mean kappa of pairs of raters, z).

    judge: values (items,), NaN where missing. weights: quadratic for grades, nominal for
    categories by default.
    """
    of_judge, of_people = _defined_kappas(people, judge, weights)()
    kappa = _mean(of_judge, "no rater shares items with the judge, or neither varies")
    people_kappa = _mean(of_people, "no two raters share items, or they never vary")
    if kappa.value is None or people_kappa.value is None:
        return kappa, people_kappa, Estimate(None, reason="a mean kappa is undefined")
    if len(of_people) < 2 or (spread := float(of_people.std(ddof=1))) == 0:
        reason = "two pairs of raters with different kappas are needed"
        return kappa, people_kappa, Estimate(None, reason=reason)
    return kappa, people_kappa, Estimate((kappa.value - people_kappa.value) / spread)


def kappa_intervals(
    people: HumanLabels,
    judge: Floats,
    weights: Weights | None = None,
    *,
    rng: np.random.Generator,
    draws: int = 500,
) -> tuple[Estimate, Estimate]:
    """The two mean kappas of `kappas_with_people` with 95% intervals by the bootstrap over
    clusters.

    A mean is over the pairs that have a kappa in the draw. `resampled_estimate` says when there is
    no interval.
    """
    figures = kappas_with_people(people, judge, weights)[:2]
    clusters = int(people.clusters.max(initial=-1)) + 1
    kappas, means = _defined_kappas(people, judge, weights), []
    for row in resample_counts(rng, draws, clusters):
        drawn = kappas(row[people.clusters])
        means.append([float(one.mean()) if len(one) else np.nan for one in drawn])
    of_judge, of_people = (
        figure
        if figure.value is None
        else resampled_estimate(column, figure.value, clusters, "correlation")
        for figure, column in zip(figures, np.array(means).reshape(-1, 2).T, strict=True)
    )
    return of_judge, of_people


def _defined_kappas(
    people: HumanLabels, judge: Floats, weights: Weights | None
) -> Callable[..., tuple[Floats, Floats]]:
    """Gives the kappas of the judge with raters, and of pairs of raters, for counts of the items,
    which are 1 by default."""
    units, columns = np.nonzero(~np.isnan(people.values))
    judged, code = np.flatnonzero(~np.isnan(judge)), len(people.raters)
    codes = people.rater_codes[units, columns]
    ratings = Ratings(
        np.concatenate([units, judged]),
        np.concatenate([codes, np.full(len(judged), code)]),
        np.concatenate([people.values[units, columns], judge[judged]]),
    )
    pairs = RaterPairs.of(ratings)
    with_judge = (pairs.first == code) | (pairs.second == code)
    weights = weights or ("quadratic" if people.graded else "nominal")

    def kappas(counts: Integers | None = None) -> tuple[Floats, Floats]:
        values = pairs.kappas(weights, counts)
        defined = ~np.isnan(values)
        return values[with_judge & defined], values[~with_judge & defined]

    return kappas


def _mean(kappas: Floats, reason: str) -> Estimate:
    return Estimate(float(kappas.mean())) if len(kappas) else Estimate(None, reason=reason)


def _verdict(correlation: Estimate, z: Estimate, *, graded: bool) -> Verdict | None:
    if z.value is None:
        return None
    if graded and (correlation.value is None or correlation.value < MIN_CORRELATION):
        return "not human-like"
    if z.value > 1:
        return "more consistent than people"
    return "human-like" if z.value > -1 else "not human-like"
