"""Robustness to optimisation: rerankers are fitted to a metric and judged by people.

A metric estimates the share of correct answers of a system. A system that is tuned to the metric
may exploit what the metric rewards and people do not: the metric's estimate rises, people's share
does not. AVA (section 6.5, Table 9) judges its own picks and those of an overfitted reranker by
people's verdicts. Here a linear reranker is fitted to the metric's scores on the tuning part, and
picks one candidate per question on the reported part. The gap is the metric's estimate minus
people's share. It is computed for random picks (before) and for the reranker's picks (after).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.correctness.division import Division
from concord.meta.correctness.linear_reranker import predictions, questions, top_picks
from concord.meta.correctness.resampling import (
    figures_of_sums,
    resample_sums,
    sums_by_cluster,
)
from concord.meta.correctness.thresholds import metric_verdicts
from concord.meta.figures import Figure


@dataclass(frozen=True, slots=True)
class Picks:
    """One pick to each question. metric: share that the metric calls correct at its frozen
    threshold; people: share that people find correct, both in [0, 1]; gap: metric less people,
    above 0 where the metric overestimates. Means over questions, 95% intervals by passage."""

    metric: Figure
    people: Figure
    gap: Figure


@dataclass(frozen=True, slots=True)
class Survival:
    """One metric. random: candidates picked at random. fitted: by the reranker fitted to the
    metric. own: by the metric itself, its highest score. gold: mean gold of the picks of `fitted`.
    labels: people's share of the picks of a reranker of the same features fitted to people's
    scores. added: gap of `fitted` less gap of `random`; 0 where the metric survives, above 0 where
    its estimate rises more than people's share, below 0 where it rises less, as for a metric that
    calls every answer correct."""

    random: Picks
    fitted: Picks
    own: Picks
    gold: Figure
    labels: Figure
    added: Figure


@dataclass(frozen=True)
class OptimisationResult:
    """tuned: questions with two candidates or more that rerankers are fitted on; instances: those
    they are judged on. chance, best: people's share of random picks, and the share of questions
    with any correct candidate. labels: people's share of the picks of a reranker of all features
    and all metrics' scores that is fitted to people's scores. metrics: in the order given."""

    tuned: int
    instances: int
    chance: Figure
    best: Figure
    labels: Figure
    metrics: list[Survival]


def optimisation_test(
    scores: NDArray[np.float64],
    gold: NDArray[np.float64],
    correct: NDArray[np.bool_],
    items: NDArray[np.int64],
    clusters: NDArray[np.int64],
    features: NDArray[np.float64],
    division: Division,
    thresholds: Sequence[float | str],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> OptimisationResult:
    """Fit a reranker to each of K metrics and to people on the tuning part; judge all on the other.

    scores: (K, n), turned so that higher is better, finite. gold, items, clusters: (n,); correct:
    people's verdicts, (n,). features: (F, n), what a reranker sees besides the other metrics'
    scores; it never sees the score that it is fitted to. thresholds: as `tuned` gives them; a text
    is the reason why what the metric estimates is undefined. Of equally high candidates one is
    picked at random: their mean counts. Weights and thresholds are held fixed in the intervals.
    Undefined where either part has no question with two candidates or more.
    """
    tuning = questions(items, division.tuning)
    reported = questions(items, division.reported)
    if not len(tuning) or not len(reported):
        which = "reported" if len(tuning) else "tuning"
        why = f"no question of the {which} part has two judged candidates or more"
        return _undefined(len(tuning), len(reported), len(scores), why)

    def mean(values: NDArray[np.float64], picks: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(reported.sums(picks * values[reported.order]))

    people = correct.astype(np.float64)
    at_random = np.repeat(1 / reported.sizes, reported.sizes)
    (by_labels,) = predictions(np.concatenate([features, scores]), gold[None], tuning)
    rows = [
        mean(people, at_random),
        np.maximum.reduceat(people[reported.order], reported.starts),
        mean(people, top_picks(by_labels, reported)),
    ]
    for k, threshold in enumerate(thresholds):
        features_seen = np.concatenate([features, np.delete(scores, k, axis=0)])
        to_metric, to_people = predictions(features_seen, np.stack([scores[k], gold]), tuning)
        pick_shares = [at_random, top_picks(to_metric, reported), top_picks(scores[k], reported)]
        by_metric = np.zeros(len(gold))
        if not isinstance(threshold, str):
            by_metric = metric_verdicts(scores[k], threshold).astype(np.float64)
        gaps = [mean(by_metric - people, picks) for picks in pick_shares]
        for picks, gap in zip(pick_shares, gaps, strict=True):
            rows += [mean(by_metric, picks), mean(people, picks), gap]
        rows += [mean(gold, pick_shares[1]), mean(people, top_picks(to_people, reported))]
        rows.append(gaps[1] - gaps[0])
    figures = _means(np.stack(rows), clusters[reported.order][reported.starts], rng, draws)
    metrics = [
        _survival(figures[start : start + ROWS], threshold)
        for start, threshold in zip(range(3, len(rows), ROWS), thresholds, strict=True)
    ]
    chance, best, labels = figures[:3]
    return OptimisationResult(
        tuned=len(tuning),
        instances=len(reported),
        chance=chance,
        best=best,
        labels=labels,
        metrics=metrics,
    )


# Of each metric: three figures of three picks, and three more.
ROWS = 12


def _survival(figures: list[Figure], threshold: float | str) -> Survival:
    """From a metric's figures, in their order; what needs a threshold is undefined without one."""
    if isinstance(threshold, str):
        undefined = Figure.undefined(threshold)
        needs_threshold = {0, 2, 3, 5, 6, 8, ROWS - 1}
        figures = [
            undefined if index in needs_threshold else figure
            for index, figure in enumerate(figures)
        ]
    return Survival(Picks(*figures[:3]), Picks(*figures[3:6]), Picks(*figures[6:9]), *figures[9:])


def _means(
    rows: NDArray[np.float64], clusters: NDArray[np.int64], rng: np.random.Generator, draws: int
) -> list[Figure]:
    """The mean over questions of each row, (R, I), with its interval by passage, clusters (I,)."""
    sums = np.stack([rows, np.ones_like(rows)], axis=1)  # (R, 2, I)
    by_passage = sums_by_cluster(sums, clusters)
    return figures_of_sums(by_passage, _mean, resample_sums(by_passage, rng, draws))


def _mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rounded, so that means which differ in their last bits make no interval."""
    return np.asarray(np.round(sums[0] / sums[1], 12))


def _undefined(tuned: int, instances: int, metrics: int, why: str) -> OptimisationResult:
    undefined = Figure.undefined(why)
    picks = Picks(undefined, undefined, undefined)
    survivals = [
        Survival(
            random=picks, fitted=picks, own=picks, gold=undefined, labels=undefined, added=undefined
        )
        for _ in range(metrics)
    ]
    return OptimisationResult(
        tuned=tuned,
        instances=instances,
        chance=undefined,
        best=undefined,
        labels=undefined,
        metrics=survivals,
    )
