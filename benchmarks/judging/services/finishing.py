"""A complete model judge becomes a submission of stored judgments."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import urlsplit

import numpy as np

from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import JudgeAnswer, MetricRun, Submission
from benchmarks.submissions.services import SubmissionInfo, SubmissionRefusedError, store_judgments
from benchmarks.submissions.services.judgments import Judgments


def submit_answers(judge: ModelJudge, *, at: datetime) -> Submission:
    """The submission of the judge's answers, private to its owner.

    Raises SubmissionRefusedError where no answer is valid, or the name is taken on the board.
    """
    judgment_set = judge.judgment_set
    by_position: dict[int, list[float]] = {}
    rows, seconds = [], 0.0
    for answer in judge.answers.all():
        seconds += answer.seconds
        if answer.score is not None:
            by_position.setdefault(answer.position, []).append(answer.score)
        rows.append(
            JudgeAnswer(
                position=answer.position,
                repeat=answer.repeat,
                score=answer.score,
                reason=answer.reason,
                raw=answer.raw,
                model=answer.model,
            )
        )
    if not by_position:
        raise SubmissionRefusedError(f"None of the {len(rows):,} answers of {judge.name} is valid.")
    scores = np.full(judgment_set.n_items, np.nan)
    for position, values in by_position.items():
        scores[position] = np.mean(values)
    info = SubmissionInfo(judge.name, note=describe(judge, len(rows), seconds, at))
    submission = store_judgments(
        judgment_set, info, Judgments(scores, rows), owner=judge.owner, at=at
    )
    MetricRun.objects.filter(submission=submission).update(seconds=seconds, n_computed=len(rows))
    return submission


def describe(judge: ModelJudge, answers: int, seconds: float, at: datetime) -> str:
    """What fixes the scores, and what they cost, in a sentence."""
    template = judge.parsed_template
    model = judge.answered_model or judge.model
    cost = f", {1000 * judge.cost / answers:.4g} a thousand" if judge.cost else ""
    return (
        f"{model} at {urlsplit(judge.endpoint).hostname}, asked by this site; template "
        f"{template.name} {template.hash}, scale {judge.low} to {judge.high}, temperature "
        f"{judge.temperature:g}, log-probabilities {'yes' if judge.logprobs else 'no'}; "
        f"{answers:,} answers, {judge.spent_tokens:,} tokens{cost}, {seconds / answers:.2f} s an "
        f"answer; {at:%d %B %Y}."
    )
