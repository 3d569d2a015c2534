"""Reading a judge's stored answers: counts and scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Max, Q
from numpy.typing import NDArray

from benchmarks.runs.models import JudgeAnswer, Submission


@dataclass(frozen=True)
class StoredAnswerCounts:
    """answers, invalid: of a submission. unscored: candidates without a valid answer. repeats: the
    most answers about one candidate. model: the version as the judge's server named it, or ""."""

    answers: int
    invalid: int
    unscored: int
    repeats: int
    model: str


def count_answers(submissions: Iterable[Submission]) -> dict[int, StoredAnswerCounts]:
    """The counts of those submissions that have answers, by primary key, without probes; one
    query."""
    pks = [one.pk for one in submissions]
    of_submissions = JudgeAnswer.objects.filter(submission__in=pks, probe="")
    by_submission = of_submissions.order_by().values("submission")
    valid = Q(score__isnull=False)
    counted = by_submission.annotate(
        answers=Count("pk"),
        valid=Count("pk", filter=valid),
        candidates=Count("position", distinct=True),
        scored=Count("position", distinct=True, filter=valid),
        last=Max("repeat"),
        model_name=Max("model"),
    )
    return {
        row["submission"]: StoredAnswerCounts(
            row["answers"],
            row["answers"] - row["valid"],
            row["candidates"] - row["scored"],
            row["last"] + 1,
            row["model_name"],
        )
        for row in counted
    }


def answer_table(submission: Submission) -> NDArray[np.float64]:
    """The scores of all answers, (n_candidates, repeats), NaN for an invalid answer or none."""
    rows = list(submission.answers.filter(probe="").values_list("position", "repeat", "score"))
    repeats = 1 + max((repeat for _, repeat, _ in rows), default=0)
    table = np.full((submission.judgment_set.n_candidates, repeats), np.nan)
    for position, repeat, score in rows:
        if score is not None:
            table[position, repeat] = score
    return table


def probe_scores(submission: Submission) -> dict[str, dict[int, float | None]]:
    """The scores of each probe's answers by position, None for an invalid answer."""
    scores: dict[str, dict[int, float | None]] = {}
    rows = submission.answers.exclude(probe="").order_by("probe", "position")
    for probe, position, score in rows.values_list("probe", "position", "score"):
        scores.setdefault(probe, {})[position] = score
    return scores
