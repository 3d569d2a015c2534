"""Storing a submission's scores as a metric run, and its actions in the audit log."""

from __future__ import annotations

import hashlib
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services import scoring
from benchmarks.runs.services.metrics import OWN
from core import audit

Scores = NDArray[np.float64]


def record(submission: Submission, action: str, by: User | None = None) -> None:
    """Record the action in the audit log; in that of the set only if the submission is public."""
    details = {
        "metric": submission.name,
        "kind": submission.kind,
        "set": str(submission.judgment_set),
    }
    judgment_set = submission.judgment_set if submission.published_at else None
    audit.record(by, action, submission, after=details, judgment_set=judgment_set)


def signature_of(submission: Submission) -> str:
    """The signature of the submission's run.

    No other run has it but those of the submissions it was carried from and to, whose scores it
    shares.
    """
    origin = submission
    while origin.carried_from is not None and origin.carried_from.digest == submission.digest:
        origin = origin.carried_from
    return (
        f"submission:{submission.name}|{submission.kind}|sha256:{submission.digest}|no:{origin.pk}"
    )


def digest_of(scores: Scores, choice_scores: bytes | memoryview[int] | None = None) -> str:
    """SHA-256 (hex) of a run's scores, and of those of judged pairs, if there are any."""
    digest = hashlib.sha256(scores.astype("<f8").tobytes())
    digest.update(choice_scores or b"")
    return digest.hexdigest()


def complete_run(submission: Submission, scores: Scores, at: datetime) -> None:
    """Store a complete run of the scores, shape (n_items,); those of pairs may all be NaN."""
    run = MetricRun(
        judgment_set=submission.judgment_set,
        submission=submission,
        metric=submission.name,
        multi_ref=OWN,
        signature=signature_of(submission),
        status=MetricRun.Status.COMPLETE,
        n_items=len(scores),
        device="elsewhere",
        scores=scores.astype("<f8").tobytes(),
        created_at=at,
        started_at=at,
        finished_at=at,
    )
    run.statistics = scoring.statistics_of(run, scores)
    run.save()
