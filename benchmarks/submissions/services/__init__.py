"""Submissions: people's own metrics on a set's board, private until they make them public.

Nothing here enqueues a task; callers do, with `tasks.enqueue`. Nothing of a file that is at fault
is stored, and it does not count for the day's limit.
"""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services import runs, scoring
from benchmarks.runs.services.metrics import OWN, submitted
from benchmarks.sets.models import JudgmentSet
from benchmarks.submissions.services import rules
from benchmarks.submissions.services.files import read_scores
from benchmarks.submissions.services.rules import About, SubmissionRefusedError, left_today
from core import audit

Kind = Submission.Kind

__all__ = [
    "About",
    "SubmissionRefusedError",
    "left_today",
    "make_private",
    "manageable",
    "publish",
    "retry",
    "run_of",
    "stop",
    "submit_metric",
    "submit_scores",
    "withdraw",
]


def submit_scores(
    judgment_set: JudgmentSet, about: About, path: Path, *, owner: Any, at: datetime
) -> Submission:
    """Take in a file of scores; it stands on its owner's board at once.

    Without an owner, which is for who keeps the installation, it is public and without limit.
    Raises SubmissionRefusedError, and FormatError for the file.
    """
    rules.check_allowance(judgment_set, owner, at)
    submission = rules.unsaved(judgment_set, about, Kind.SCORES, "", owner, at)
    scores = read_scores(judgment_set, path, most_bytes=settings.SUBMISSION_MAX_BYTES)
    submission.digest = hashlib.sha256(scores.astype("<f8").tobytes()).hexdigest()
    with rules.allowed(judgment_set, owner, at):
        submission.save()
        _complete_run(submission, scores, at)
        _note(submission, "submission.made", owner)
    return submission


def submit_metric(
    judgment_set: JudgmentSet, about: About, kind: str, source: str, *, owner: Any, at: datetime
) -> Submission:
    """Take in a metric that workers score: an entry point's name or an endpoint's address.

    The caller sends the work of `submission.run`. Raises SubmissionRefusedError.
    """
    rules.check_allowance(judgment_set, owner, at)
    if kind == Kind.ENTRY_POINT:
        pinned = rules.pinned_entry_point(source, owner)
    elif kind == Kind.ENDPOINT:
        rules.check_endpoint(source)
        pinned = f"endpoint {source}"
    else:
        raise SubmissionRefusedError(f"'{kind}' is no kind of metric.", "kind")
    submission = rules.unsaved(judgment_set, about, kind, source, owner, at)
    submission.digest = hashlib.sha256(pinned.encode()).hexdigest()
    with rules.allowed(judgment_set, owner, at):
        submission.save()
        metric = submitted(submission, _signature(submission))
        runs.request_submitted(submission, metric, at=at)
        _note(submission, "submission.made", owner)
    return submission


def manageable(judgment_set: JudgmentSet, user: Any) -> QuerySet[Submission]:
    """Submissions to this version that a user may change, latest first: one's own, and for
    administrators everybody's."""
    found = judgment_set.submissions.select_related("owner").prefetch_related("run", "judgment_set")
    if not user.is_authenticated:
        return found.none()
    return found if user.is_superuser else found.filter(owner=user)


def publish(submission: Submission, *, at: datetime) -> None:
    """Show it to everybody. SubmissionRefusedError unless it is scored and its name is free."""
    run = run_of(submission)
    if run is None or run.status != MetricRun.Status.COMPLETE:
        raise SubmissionRefusedError(f"{submission.name} is not scored yet.")
    others = rules.of_this_name(submission.judgment_set, submission.name).exclude(pk=submission.pk)
    if others.filter(published_at__isnull=False).exists():
        raise SubmissionRefusedError(f"Another public metric is called {submission.name}.")
    with transaction.atomic():
        submission.published_at = submission.published_at or at
        submission.save(update_fields=["published_at"])
        _note(submission, "submission.published")


def make_private(submission: Submission) -> None:
    """Show it to its owner alone."""
    if submission.owner_id is None:
        raise SubmissionRefusedError(f"{submission.name} has no owner: withdraw it instead.")
    with transaction.atomic():
        submission.published_at = None
        submission.save(update_fields=["published_at"])
        _note(submission, "submission.made private")


def withdraw(submission: Submission, *, at: datetime) -> None:
    """Delete its scores and what was computed from them; that it was submitted is kept."""
    with transaction.atomic():
        run = run_of(submission)
        if run is not None:
            Analysis.objects.filter(runs__contains=[run.pk]).delete()
            run.delete()
        submission.withdrawn_at = submission.withdrawn_at or at
        submission.save(update_fields=["withdrawn_at"])
        _note(submission, "submission.withdrawn")
    submission.refresh_from_db()


def stop(submission: Submission, *, at: datetime) -> bool:
    """Stop its scoring; False when that had ended."""
    run = run_of(submission)
    return run is not None and runs.cancel_run(run.pk, at=at)


def retry(submission: Submission, *, at: datetime) -> MetricRun:
    """Queue its scoring again where that failed or was stopped; the caller sends the work."""
    run = run_of(submission)
    if run is None:
        raise SubmissionRefusedError(f"{submission.name} is withdrawn.")
    return runs.request_submitted(submission, submitted(submission, run.signature), at=at)


def _note(submission: Submission, action: str, by: Any = None) -> None:
    """Write it in the book; in that of the set, which its viewers read, only once it is public."""
    about = {
        "metric": submission.name,
        "kind": submission.kind,
        "set": str(submission.judgment_set),
    }
    public = submission.judgment_set if submission.published_at else None
    audit.record(by, action, submission, after=about, judgment_set=public)


def run_of(submission: Submission) -> MetricRun | None:
    """Its metric run; None once it is withdrawn."""
    return MetricRun.objects.filter(submission=submission).first()


def _signature(submission: Submission) -> str:
    """What pins its scores, and what no other submission's run shares."""
    return (
        f"submission:{submission.name}|{submission.kind}|sha256:{submission.digest}"
        f"|no:{submission.pk}"
    )


def _complete_run(submission: Submission, scores: NDArray[np.float64], at: datetime) -> None:
    run = MetricRun(
        judgment_set=submission.judgment_set,
        submission=submission,
        metric=submission.name,
        multi_ref=OWN,
        signature=_signature(submission),
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
