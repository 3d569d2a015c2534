"""A complete model judge becomes a submission of stored judgments."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from benchmarks.judging.models import SWAPPED, ModelAnswer, ModelJudge
from benchmarks.judging.services.questions import asked_positions
from benchmarks.runs.models import JudgeAnswer, MetricRun, Submission
from benchmarks.submissions.services import SubmissionInfo, store_judgments, store_pair_judgments
from benchmarks.submissions.services.judgments import SubmittedJudgments
from concord.judges.chat import READER_VERSION
from concord.judges.orders import choices_of, pair_scores
from concord.sentences import counted
from core.refusals import RefusedError


def submit_answers(judge: ModelJudge, *, at: datetime) -> Submission:
    """The submission of the judge's answers, private to its owner.

    Raises RefusedError where no answer is valid, or the name is taken on the board.
    """
    answers = list(judge.answers.all())
    scores = _pair_scores(judge, answers) if judge.is_of_pairs else answer_scores(judge, answers)
    if np.isnan(scores).all():
        raise RefusedError(
            f"None of the {counted(len(answers), 'answer')} of {judge.name} is valid.",
            "submission-refused",
        )
    seconds = sum(answer.seconds for answer in answers)
    info = SubmissionInfo(judge.name, note=describe(judge, len(answers), seconds, at))
    if judge.is_of_pairs:
        submission = store_pair_judgments(
            judge.judgment_set, info, scores, judge.judged, owner=judge.owner, at=at
        )
    else:
        submission = store_judgments(
            judge.judgment_set,
            info,
            SubmittedJudgments(scores, [_stored(answer) for answer in answers]),
            owner=judge.owner,
            at=at,
            left_out_split=judge.train_split,
            answer_cost=judge.cost * judge.repeats / len(answers) if judge.cost else None,
        )
    runs = MetricRun.objects.filter(submission=submission)
    runs.update(seconds=seconds, n_computed=len(answers))
    return submission


def answer_scores(judge: ModelJudge, answers: Iterable[ModelAnswer]) -> NDArray[np.float64]:
    """The means of the candidates' valid answers, (n_items,), NaN without one."""
    by_position: dict[int, list[float]] = {}
    for answer in answers:
        if answer.score is not None and not answer.variant:
            by_position.setdefault(answer.position, []).append(answer.score)
    scores = np.full(judge.judgment_set.n_items, np.nan)
    for position, values in by_position.items():
        scores[position] = np.mean(values)
    return scores


def _pair_scores(judge: ModelJudge, answers: list[ModelAnswer]) -> NDArray[np.float64]:
    """The scores of the pairs' members, means over repeats, (n_pairs, 2), NaN without valid answers
    in both orders."""
    labels = {
        (answer.position, answer.repeat, answer.variant): answer.label
        for answer in answers
        if answer.score is not None
    }
    by_pair: dict[int, list[tuple[float, float]]] = {}
    for position, repeat in {(answer.position, answer.repeat) for answer in answers}:
        as_given = labels.get((position, repeat, ""))
        swapped = labels.get((position, repeat, SWAPPED))
        scores_of_both = pair_scores(choices_of(as_given, swapped))
        if scores_of_both is not None:
            by_pair.setdefault(position, []).append(scores_of_both)
    scores = np.full((len(asked_positions(judge)), 2), np.nan)
    for position, values in by_pair.items():
        scores[position] = np.mean(values, axis=0)
    return scores


def _stored(answer: ModelAnswer) -> JudgeAnswer:
    return JudgeAnswer(
        probe=answer.variant,
        position=answer.position,
        repeat=answer.repeat,
        score=answer.score,
        reason=answer.reason,
        raw=answer.raw,
        model=answer.model,
    )


def describe(judge: ModelJudge, answers: int, seconds: float, at: datetime) -> str:
    """What fixes the scores, and what they cost, in a sentence."""
    template = judge.parsed_template
    model = judge.answered_model or judge.model
    cost = f", {1000 * judge.cost / answers:.4g} a thousand" if judge.cost else ""
    return (
        f"{model} at {judge.host}, asked by this site; template "
        f"{template.name} {template.hash}, scale {judge.low} to {judge.high}, temperature "
        f"{judge.temperature:g}, log-probabilities {'yes' if judge.logprobs else 'no'}, answers "
        f"by {'JSON schema' if judge.json_schema else 'text'}, read by version {READER_VERSION} "
        f"of the reader{_of_examples(judge)}; "
        f"{counted(answers, 'answer')}, {counted(judge.spent_tokens, 'token')}{cost}, "
        f"{seconds / answers:.2f} s an "
        f"answer; {at:%d %B %Y}."
    )


def _of_examples(judge: ModelJudge) -> str:
    if not judge.shots:
        return ""
    return f", {judge.shots} examples of the split {judge.train_split} by seed {judge.seed}"
