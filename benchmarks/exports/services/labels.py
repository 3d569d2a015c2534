"""A set's unjudged answers, labelled by AVA, as training data for answer selection."""

from __future__ import annotations

from collections.abc import Iterator

import scorers
from benchmarks.exports.services.exports import ExportRefusedError, chosen_runs
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.sentences import to_sentence
from scorers import ModelError
from scorers.answer_selection.labelling import ScoredAnswer, check_threshold, labelled_lines
from scorers.ava.metrics import AVA, Ava


def labelling_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The complete runs of AVA, whatever its checkpoint, that the set's viewer may see."""
    return [run for run in chosen_runs(judgment_set, None) if _is_ava(run)]


def unjudged(judgment_set: JudgmentSet) -> int:
    """How many candidates nobody has judged. Candidates with hidden labels are judged."""
    return judgment_set.candidates.filter(gold=None).count()


def labelled(
    judgment_set: JudgmentSet, metric: str | None = None, threshold: float | None = None
) -> Iterator[str]:
    """Lines of a table that `scorers.answer_selection` reads as `tsv`.

    `metric` is the name of a complete run of AVA, by default the latest; `threshold` the
    probability from which an answer is correct, by default that of its checkpoint. Raises
    ExportRefusedError where there is no such run, no unjudged candidate, or no threshold.
    """
    if not unjudged(judgment_set):
        raise ExportRefusedError(f"Every candidate of {judgment_set} is judged: none to label.")
    run = _chosen(judgment_set, metric)
    if threshold is None:
        threshold = _threshold_of(run)
    try:
        check_threshold(threshold)
    except ValueError as error:
        raise ExportRefusedError(to_sentence(error)) from error
    return labelled_lines(_answers(judgment_set, run), threshold, run.signature)


def _chosen(judgment_set: JudgmentSet, metric: str | None) -> MetricRun:
    runs = labelling_runs(judgment_set)
    if metric is not None:
        runs = [run for run in runs if run.metric == _canonical(metric)]
    if not runs:
        raise ExportRefusedError(
            f"{judgment_set} has no complete run of {metric or AVA}: start {AVA} on its page of "
            "runs, and come back when it is complete."
        )
    return max(runs, key=lambda run: (run.created_at, run.pk))


def _canonical(named: str) -> str:
    """A metric's name as runs have it: a checkpoint's own name stands for AVA with it."""
    try:
        return scorers.parse_metrics(named)[0].name
    except scorers.MetricError:  # a checkpoint that is no longer here
        return named


def _is_ava(run: MetricRun) -> bool:
    return run.submission_id is None and run.metric.partition("(")[0] == AVA


def _threshold_of(run: MetricRun) -> float:
    """The threshold of the checkpoint that scored the run, while it is there."""
    try:
        metric = metric_of(run)
        if isinstance(metric, Ava) and metric.signature() == run.signature:
            return metric.threshold
    except (ModelError, ValueError):
        pass
    raise ExportRefusedError(
        f"The checkpoint that scored {run} is no longer here, nor its threshold: give a threshold."
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
