"""Robustness to optimisation: rerankers are fitted to a metric and evaluated by people's verdicts.

A metric estimates a system's share of correct answers. A system that is tuned to the metric may
learn properties that the metric rewards and people do not: the metric's estimate then rises, while
people's share does not. AVA (section 6.5, Table 9) compares its own picks, and those of an
overfitted reranker, with people's verdicts. Here a linear reranker is fitted to the metric's scores
on the tuning part, and picks one candidate per question on the reported part. The gap is the
metric's estimate minus people's share. It is computed for random picks and for the reranker's
picks. The reranker is a ridge regression of the target on the features, both centred within
questions, because a pick depends only on the differences between candidates for the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats, Integers
from concord.inference import Estimate, estimates_of_sums, resampled_sums, sums_by_cluster
from concord.meta.correctness.division import Division
from concord.meta.correctness.thresholds import metric_verdicts
from concord.meta.groups import Groups
from concord.meta.inference import ScoredSample
from concord.word_overlap import sim_text

FEATURES = ("length in words", "overlap with the question")
# Penalty on the weights of features that are scaled to unit variance within questions.
RIDGE = 0.01
# Predictions that differ only by rounding are ties.
TIE_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Picks:
    """One pick for each question. metric: share of picks that the metric calls correct at its
    threshold, in [0, 1]. people: share that people find correct, in [0, 1]. gap: metric - people,
    above 0 where the metric overestimates. 95% intervals resample passages."""

    metric: Estimate
    people: Estimate
    gap: Estimate


@dataclass(frozen=True, slots=True)
class Survival:
    """The results of one metric.

    random: picks at random. fitted: picks of the reranker that is fitted to the metric. own: the
    candidates with the metric's highest score. gold: mean gold score of the picks of `fitted`.
    labels: people's share of the picks of a reranker with the same features that is fitted to
    people's scores. added: gap of `fitted` - gap of `random`. It is 0 for a robust metric, above 0
    where the metric's estimate rises more than people's share, and below 0 where it rises less, as
    for a metric that calls every answer correct.
    """

    random: Picks
    fitted: Picks
    own: Picks
    gold: Estimate
    labels: Estimate
    added: Estimate


@dataclass(frozen=True)
class OptimisationResult:
    """The results of all metrics, in the order of the sample.

    tuned, instances: number of questions with two candidates or more in the tuning part, where the
    rerankers are fitted, and in the reported part. chance: people's share of random picks. best:
    share of questions with a correct candidate. labels: people's share of the picks of a reranker
    that is fitted to people's scores, with all features and all metrics' scores.
    """

    tuned: int
    instances: int
    chance: Estimate
    best: Estimate
    labels: Estimate
    metrics: list[Survival]


def optimisation_test(
    sample: ScoredSample,
    correct: Booleans,
    features: Floats,
    division: Division,
    thresholds: Sequence[Estimate],
    *,
    rng: np.random.Generator,
    draws: int = 1000,
) -> OptimisationResult:
    """Fit rerankers to each metric and to people on the tuning part; evaluate them on the other.

    sample: of metrics that have a score for every candidate. correct: people's verdicts, (n,).
    features: (F, n), the input of a reranker besides the scores of the other metrics; the score
    that it is fitted to is no input. thresholds: of each metric, from `tune_thresholds`; where one
    is undefined, so are the metric's estimates. Candidates with equally high predictions share the
    pick. The intervals hold weights and thresholds fixed. Every figure is undefined where either
    part has no question with two candidates or more.
    """
    tuning = questions(sample.items, division.tuning)
    reported = questions(sample.items, division.reported)
    if len(tuning) and len(reported):
        rows = _rows(sample, correct, features, tuning, reported, thresholds)
        clusters = sample.clusters[reported.order][reported.starts]
        sums = sums_by_cluster(np.stack([rows, np.ones_like(rows)]), clusters)
        resampled = resampled_sums(sums, rng, draws)
        figures = estimates_of_sums(lambda totals: totals[0] / totals[1], sums, resampled)
    else:
        which = "reported" if len(tuning) else "tuning"
        why = f"no question of the {which} part has two judged candidates or more"
        thresholds = [Estimate(None, reason=why)] * len(thresholds)
        figures = [Estimate(None, reason=why)] * (3 + ROWS * len(thresholds))
    metrics = [
        _survival(figures[start : start + ROWS], threshold)
        for start, threshold in zip(range(3, len(figures), ROWS), thresholds, strict=True)
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


def _rows(
    sample: ScoredSample,
    correct: Booleans,
    features: Floats,
    tuning: Groups,
    reported: Groups,
    thresholds: Sequence[Estimate],
) -> Floats:
    """What figures are means of, of each reported question: three rows, and ROWS of each metric."""
    scores, gold, people = sample.scores, sample.gold, correct.astype(np.float64)

    def mean(values: Floats, picks: Floats) -> Floats:
        return np.asarray(reported.sums(picks * values[reported.order]))

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
        if threshold.value is not None:
            by_metric = metric_verdicts(scores[k], threshold.value).astype(np.float64)
        gaps = [mean(by_metric - people, picks) for picks in pick_shares]
        for picks, gap in zip(pick_shares, gaps, strict=True):
            rows += [mean(by_metric, picks), mean(people, picks), gap]
        rows += [mean(gold, pick_shares[1]), mean(people, top_picks(to_people, reported))]
        rows.append(gaps[1] - gaps[0])
    return np.stack(rows)


# Figures of a metric: three for each of three kinds of picks, and three more.
ROWS = 12


def _survival(figures: list[Estimate], threshold: Estimate) -> Survival:
    """From a metric's ROWS figures. Without a threshold, those that need one are undefined."""
    if threshold.value is None:
        undefined = Estimate(None, reason=threshold.reason)
        for index in (0, 2, 3, 5, 6, 8, ROWS - 1):
            figures[index] = undefined
    return Survival(Picks(*figures[:3]), Picks(*figures[3:6]), Picks(*figures[6:9]), *figures[9:])


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
