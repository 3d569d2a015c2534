"""Carrying submissions over from a version of a set to the next one.

A score belongs to an item: a text with its question, passage and references. A submission whose
scores apply to every candidate of the new version is on its board at once. One that a worker scores
is queued by its owner, and only the other candidates are scored; of a file of scores there is
nothing on the new version, and its owner submits again. A judge owes what it was asked about: with
examples, no candidates of their split; of pairs, no candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from benchmarks.runs.models import JudgeAnswer, MetricRun, Submission
from benchmarks.runs.services.runs import item_keys
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from benchmarks.submissions.services.carried_pairs import carried_scores, set_pair_scores
from benchmarks.submissions.services.judgments import answered_positions, store_answers
from benchmarks.submissions.services.storing import complete_run, record

Scores = NDArray[np.float64]


def carry_submissions(judgment_set: JudgmentSet, at: datetime) -> None:
    """Copy each metric's latest submission to this new version if its scores apply there.

    Those that were withdrawn are left out, and so are juries: their verdicts depend on all labels
    of a version.
    """
    for source in _latest_submissions(judgment_set):
        _carry(source, judgment_set, at)


def left_out(submission: Submission) -> NDArray[np.bool_]:
    """Which candidates a judge does not judge: those of the split of its examples, shape
    (n_candidates,)."""
    judgment_set = submission.judgment_set
    if not submission.left_out_split:
        return np.zeros(judgment_set.n_candidates, dtype=np.bool_)
    splits = frames.frame(judgment_set).labels["split"]
    return np.asarray(splits == submission.left_out_split)


def _latest_submissions(judgment_set: JudgmentSet) -> Iterator[Submission]:
    earlier = Submission.objects.filter(
        judgment_set__name=judgment_set.name, judgment_set__version__lt=judgment_set.version
    ).exclude(kind=Submission.Kind.JURY)
    seen: set[tuple[int | None, str]] = set()
    for submission in earlier.select_related("judgment_set").order_by(
        "-judgment_set__version", "withdrawn_at", "-pk"
    ):
        metric = submission.owner_id, submission.name.casefold()
        if metric not in seen and not submission.is_withdrawn:
            yield submission
        seen.add(metric)


def _carry(source: Submission, judgment_set: JudgmentSet, at: datetime) -> None:
    submission = Submission(
        judgment_set=judgment_set,
        carried_from=source,
        created_at=at,
        **{name: getattr(source, name) for name in _COPIED},
    )
    carry = _carry_pairs if submission.is_of_pairs else _carry_items
    if carry(source, submission, at):
        record(submission, "submission.carried")


def _carry_pairs(source: Submission, submission: Submission, at: datetime) -> bool:
    scores = carried_scores(source, submission)
    if scores is None:
        return False
    of_run = set_pair_scores(submission, scores)
    submission.save(force_insert=True)
    complete_run(submission, of_run, at)
    return True


def _carry_items(source: Submission, submission: Submission, at: datetime) -> bool:
    judgment_set = submission.judgment_set
    source_scores = _scores_of(source)
    origins = _origins(source.judgment_set, _has_score(source, source_scores), judgment_set)
    of_candidates, of_pairs = np.split(origins < 0, [judgment_set.n_candidates])
    is_complete = not (of_candidates & ~left_out(submission)).any()
    if not is_complete and submission.is_from_file:
        return False
    submission.save(force_insert=True)
    if is_complete:
        scores = np.where(origins < 0, np.nan, source_scores[origins]).astype("<f8")
        if of_pairs.any():  # a run has scores for every pair or none
            scores[judgment_set.n_candidates :] = np.nan
        _carry_answers(source, submission, origins)
        complete_run(submission, scores, at)
    return True


_COPIED = (
    *("owner", "kind", "name", "link", "authors", "note", "higher_is_better", "source", "digest"),
    *("published_at", "judged", "left_out_split"),
)


def _scores_of(submission: Submission) -> Scores:
    """The submission's scores, shape (n_items,), NaN where it has none."""
    run = MetricRun.objects.defer(None).filter(submission=submission).first()
    if run is None or run.scores is None:
        return np.full(submission.judgment_set.n_items, np.nan)
    return run.score_array


def _has_score(submission: Submission, scores: Scores) -> NDArray[np.bool_]:
    """Which items need no further score, shape (n_items,). A candidate whose judge gave no valid
    answer needs none."""
    has_score = ~np.isnan(scores)
    if submission.kind == Submission.Kind.JUDGMENTS:
        has_score[list(answered_positions(submission))] = True
    return has_score


def _origins(
    source: JudgmentSet, has_score: NDArray[np.bool_], judgment_set: JudgmentSet
) -> NDArray[np.int64]:
    """The position in the source of each item of the set, -1 where the source has no score for
    such an item.

    Of items with the same texts, one with the same id comes first.
    """
    by_item: dict[tuple[str, bytes], int] = {}
    by_texts: dict[bytes, int] = {}
    rows = zip(*_items(source), has_score.tolist(), strict=True)
    for position, (name, key, is_scored) in enumerate(rows):
        if is_scored:
            by_item[name, key] = by_texts[key] = position
    return np.array(
        [
            by_item.get((name, key), by_texts.get(key, -1))
            for name, key in zip(*_items(judgment_set), strict=True)
        ],
        dtype=np.int64,
    )


def _carry_answers(source: Submission, submission: Submission, origins: NDArray[np.int64]) -> None:
    """Copy a judge's answers about the candidates that stay."""
    by_position: dict[int, list[JudgeAnswer]] = {}
    for answer in source.answers.all():
        by_position.setdefault(answer.position, []).append(answer)
    store_answers(
        submission,
        [
            JudgeAnswer(
                probe=answer.probe,
                position=position,
                repeat=answer.repeat,
                score=answer.score,
                reason=answer.reason,
                raw=answer.raw,
                model=answer.model,
            )
            for position, origin in enumerate(origins.tolist())
            for answer in by_position.get(origin, ())
        ],
    )


def _items(judgment_set: JudgmentSet) -> tuple[list[str], list[bytes]]:
    """The id and the hash of the texts of each item of a set, by position."""
    names = list(judgment_set.candidates.order_by("position").values_list("key", flat=True))
    for name in judgment_set.pairs.order_by("position").values_list("key", flat=True):
        names += [f"{name} 1", f"{name} 2"]
    return names, item_keys(judgment_set, context=True)
