"""Unjudged answers of a set with labels by AVA, as training data for answer selection."""

from __future__ import annotations

from collections.abc import Iterator

import scorers
from benchmarks.exports.services.exports import select_runs
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.sentences import to_sentence
from core.refusals import RefusedError
from scorers import ModelError
from scorers.ava.metrics import AVA, Ava
from scorers.datasets.selection import ScoredAnswer, check_threshold, labelled_lines


def labelling_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The complete runs of AVA, with any checkpoint, that the set's viewer may see."""
    return [run for run in select_runs(judgment_set, None) if _is_ava(run)]


def count_unjudged(judgment_set: JudgmentSet) -> int:
    """The number of unjudged candidates. Candidates with hidden labels count as judged."""
    return judgment_set.candidates.filter(gold=None).count()


def label_lines(
    judgment_set: JudgmentSet, metric: str | None = None, threshold: float | None = None
) -> Iterator[str]:
    """Lines of a table that `scorers.datasets.selection` reads as `tsv`.

    `metric` is the name of a complete run of AVA, by default the latest; `threshold` the
    probability from which an answer is correct, by default that of its checkpoint. Raises
    RefusedError where there is no such run, no unjudged candidate, or no threshold.
    """
    if not count_unjudged(judgment_set):
        raise RefusedError(
            f"All candidates of {judgment_set} are judged: there are none to label.",
            "not-there-yet",
        )
    run = _select_run(judgment_set, metric)
    if threshold is None:
        threshold = _threshold_of(run)
    try:
        check_threshold(threshold)
    except ValueError as error:
        raise RefusedError(to_sentence(error), "not-there-yet") from error
    return labelled_lines(_answers(judgment_set, run), threshold, run.signature)


def _select_run(judgment_set: JudgmentSet, metric: str | None) -> MetricRun:
    runs = labelling_runs(judgment_set)
    if metric is not None:
        runs = [run for run in runs if run.metric == _canonical(metric)]
    if not runs:
        raise RefusedError(
            f"{judgment_set} has no complete run of {metric or AVA}. Start {AVA} on the page of "
            "its metric runs and wait until it is complete.",
            "not-there-yet",
        )
    return max(runs, key=lambda run: (run.created_at, run.pk))


def _canonical(name: str) -> str:
    """The name of a metric in runs; the name of a checkpoint means AVA with this checkpoint."""
    try:
        return scorers.parse_metrics(name, "joint")[0].name
    except scorers.MetricError:  # the checkpoint was deleted
        return name


def _is_ava(run: MetricRun) -> bool:
    return run.submission_id is None and run.metric.partition("(")[0] == AVA


def _threshold_of(run: MetricRun) -> float:
    """The threshold of the checkpoint that scored the run. Raises RefusedError."""
    try:
        metric = metric_of(run)
        if isinstance(metric, Ava) and metric.signature() == run.signature:
            return metric.threshold
    except (ModelError, ValueError):
        pass
    raise RefusedError(
        f"The checkpoint that scored {run} and its threshold are missing. Enter a threshold.",
        "not-there-yet",
    )


def _answers(judgment_set: JudgmentSet, run: MetricRun) -> Iterator[ScoredAnswer]:
    scores = run.score_array
    masked = hidden.viewer_masks(judgment_set).candidates
    rows = judgment_set.candidates.filter(gold=None).order_by("position")
    for position, key, question, text in rows.values_list(
        "position", "key", "instance__question", "text"
    ).iterator(chunk_size=5000):
        if not masked[position]:
            yield ScoredAnswer(key, question, text, float(scores[position]))
