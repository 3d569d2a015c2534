"""A judge's stored answers: read from a file, and stored.

A candidate's score is the mean of its valid answers. One without a valid answer has no score (NaN),
and the board gives the reason instead of a correlation: nobody gains by leaving items out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.runs.models import JudgeAnswer, Submission
from benchmarks.sets.models import JudgmentSet
from concord.formats import Limits
from concord.formats.errors import Problems, quote
from concord.formats.judge_answers import JudgeAnswers, by_candidate, read_judge_answers

MAX_PROBLEMS = 100
MAX_REPEATS = 100
BATCH_ROWS = 5000


@dataclass(frozen=True)
class SubmittedJudgments:
    """scores: float64 (n_items,), NaN without a valid answer, for pairs, and for candidates that
    the file does not have. answers: rows without a submission."""

    scores: NDArray[np.float64]
    answers: list[JudgeAnswer]


def read_judgments(
    judgment_set: JudgmentSet,
    path: Path,
    *,
    max_bytes: int,
) -> SubmittedJudgments:
    """The answers of a file about the set's candidates.

    Every candidate has an answer, an invalid one too.
    Raises FormatError for the file, for ids that are not the set's, for candidates without an
    answer, and for more than MAX_REPEATS answers about one candidate.
    """
    limits = Limits(max_bytes=max_bytes, max_rows=MAX_REPEATS * judgment_set.n_candidates)
    file = read_judge_answers(path, limits=limits)
    keys = list(judgment_set.candidates.order_by("position").values_list("key", flat=True))
    positions = {key: position for position, key in enumerate(keys)}
    _check(judgment_set, file, keys, positions)
    scores = np.full(judgment_set.n_items, np.nan)
    rows = []
    for key, answers in by_candidate(file.answers):
        position = positions[key]
        valid = [answer.score for answer in answers if answer.score is not None]
        if valid:
            scores[position] = np.mean(valid)
        rows += [
            JudgeAnswer(
                position=position,
                repeat=repeat,
                score=answer.score,
                reason=answer.reason,
                raw=answer.raw,
                model=answer.model,
            )
            for repeat, answer in enumerate(answers)
        ]
    return SubmittedJudgments(scores, rows)


def store_answers(submission: Submission, answers: Sequence[JudgeAnswer]) -> None:
    """Store the answers of a new submission."""
    for answer in answers:
        answer.submission = submission
    JudgeAnswer.objects.bulk_create(answers, batch_size=BATCH_ROWS)


def answered_positions(submission: Submission) -> set[int]:
    """The positions of the candidates that the judge answered about, validly or not."""
    return set(submission.answers.filter(probe="").values_list("position", flat=True))


def _check(
    judgment_set: JudgmentSet,
    file: JudgeAnswers,
    keys: list[str],
    positions: dict[str, int],
) -> None:
    problems = Problems(MAX_PROBLEMS)
    seen: dict[int, int] = {}
    for answer in file.answers:
        position = positions.get(answer.id)
        if position is None:
            message = f"{quote(answer.id)} is not the id of a candidate of {judgment_set}"
            problems.add(file.file, answer.line, None, message)
            continue
        seen[position] = seen.get(position, 0) + 1
        if seen[position] == MAX_REPEATS + 1:
            message = f"{quote(answer.id)} has more than {MAX_REPEATS} answers"
            problems.add(file.file, answer.line, None, message)
    for position, key in enumerate(keys):
        if position not in seen:
            message = f"{quote(key)} this candidate has no answer; write null for an invalid one"
            problems.add(file.file, None, None, message)
    problems.raise_if_any()
