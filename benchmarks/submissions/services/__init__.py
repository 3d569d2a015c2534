"""Submissions: metrics on a set's board that are private until their owners publish them.

Callers send the tasks, with `tasks.enqueue`. An invalid file is not stored and does not count
towards the limits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from numpy.typing import NDArray

from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services import runs
from benchmarks.runs.services.metrics import submission_metric
from benchmarks.sets.models import JudgmentSet
from benchmarks.submissions.services import rules
from benchmarks.submissions.services.carried_pairs import set_pair_scores
from benchmarks.submissions.services.files import read_scores
from benchmarks.submissions.services.judgments import (
    SubmittedJudgments,
    read_judgments,
    store_answers,
)
from benchmarks.submissions.services.rules import SubmissionInfo, remaining_in_all, remaining_today
from benchmarks.submissions.services.storing import complete_run, digest_of, record, signature_of
from core.accounts.roles import SiteUser
from core.refusals import RefusedError

Kind = Submission.Kind

__all__ = [
    "FROM_FILE",
    "SubmissionInfo",
    "make_private",
    "own_submissions",
    "publish",
    "remaining_in_all",
    "remaining_today",
    "retry",
    "run_of",
    "stop",
    "store_judgments",
    "store_pair_judgments",
    "submit_judgments",
    "submit_metric",
    "submit_scores",
    "withdraw",
]


def submit_scores(
    judgment_set: JudgmentSet, info: SubmissionInfo, path: Path, *, owner: User | None, at: datetime
) -> Submission:
    """Store the scores of a file; the owner sees them on the board at once.

    Without an owner (on the command line) the submission is public and has no limit. Raises
    RefusedError, and FormatError for the file.
    """
    rules.check_limit(judgment_set, owner, at)
    submission = rules.new_submission(judgment_set, info, Kind.SCORES, "", owner, at)
    scores = read_scores(judgment_set, path, max_bytes=settings.SUBMISSION_MAX_BYTES)
    rules.check_spread(judgment_set, owner, scores)
    submission.digest = digest_of(scores)
    with rules.enforce_limit(judgment_set, owner, at):
        submission.save()
        complete_run(submission, scores, at)
        record(submission, "submission.made", owner)
    return submission


def submit_judgments(
    judgment_set: JudgmentSet, info: SubmissionInfo, path: Path, *, owner: User | None, at: datetime
) -> Submission:
    """Store a judge's answers of a file, and their means as scores; else as `submit_scores`."""
    rules.check_limit(judgment_set, owner, at)
    rules.new_submission(judgment_set, info, Kind.JUDGMENTS, "", owner, at)
    judgments = read_judgments(judgment_set, path, max_bytes=settings.SUBMISSION_MAX_BYTES)
    rules.check_spread(judgment_set, owner, judgments.scores)
    with rules.enforce_limit(judgment_set, owner, at):
        return store_judgments(judgment_set, info, judgments, owner=owner, at=at)


def store_judgments(
    judgment_set: JudgmentSet,
    info: SubmissionInfo,
    judgments: SubmittedJudgments,
    *,
    owner: User | None,
    at: datetime,
    left_out_split: str = "",
    answer_cost: float | None = None,
) -> Submission:
    """Store a judge's answers as a submission, without regard to the daily limit.

    left_out_split, answer_cost: as of `Submission`. Raises RefusedError.
    """
    submission = rules.new_submission(judgment_set, info, Kind.JUDGMENTS, "", owner, at)
    submission.left_out_split, submission.answer_cost = left_out_split, answer_cost
    return _store_judge(submission, judgments, at)


def store_pair_judgments(
    judgment_set: JudgmentSet,
    info: SubmissionInfo,
    scores: NDArray[np.float64],
    judged: str,
    *,
    owner: User | None,
    at: datetime,
) -> Submission:
    """Store a judge's scores of the members of pairs, (n_pairs, 2), NaN for invalid answers.

    judged: as of `Submission`. Else as `store_judgments`; a choice between two answers is no
    judgment of a candidate, so no answers are stored.
    """
    submission = rules.new_submission(judgment_set, info, Kind.JUDGMENTS, "", owner, at)
    submission.judged = judged
    return _store_judge(submission, SubmittedJudgments(set_pair_scores(submission, scores), []), at)


def _store_judge(submission: Submission, judgments: SubmittedJudgments, at: datetime) -> Submission:
    submission.digest = digest_of(judgments.scores, submission.choice_scores)
    with transaction.atomic():
        submission.save()
        store_answers(submission, judgments.answers)
        complete_run(submission, judgments.scores, at)
        record(submission, "submission.made", submission.owner)
    return submission


FROM_FILE: dict[str, Callable[..., Submission]] = {
    Kind.SCORES: submit_scores,
    Kind.JUDGMENTS: submit_judgments,
}


def submit_metric(
    judgment_set: JudgmentSet,
    info: SubmissionInfo,
    kind: str,
    source: str,
    *,
    owner: User | None,
    at: datetime,
) -> Submission:
    """Store a metric that workers score: the name of an entry point or the URL of an endpoint.

    The caller sends the tasks of `submission.run`. Raises RefusedError.
    """
    rules.check_limit(judgment_set, owner, at)
    if kind == Kind.ENTRY_POINT:
        description = rules.describe_entry_point(source, owner)
    elif kind == Kind.ENDPOINT:
        rules.check_endpoint(source)
        description = f"endpoint {source}"
    else:
        raise RefusedError(f"'{kind}' is not a kind of submission.", "submission-refused", "kind")
    submission = rules.new_submission(judgment_set, info, kind, source, owner, at)
    submission.digest = hashlib.sha256(description.encode()).hexdigest()
    with rules.enforce_limit(judgment_set, owner, at):
        submission.save()
        metric = submission_metric(submission, signature_of(submission))
        runs.request_submission_run(submission, metric, at=at)
        record(submission, "submission.made", owner)
    return submission


def own_submissions(judgment_set: JudgmentSet, user: SiteUser) -> QuerySet[Submission]:
    """The user's submissions to this version, latest first; for administrators all submissions."""
    rows = judgment_set.submissions.select_related("owner", "carried_from")
    rows = rows.prefetch_related("run", "judgment_set", "carried_from__judgment_set")
    if not user.is_authenticated:
        return rows.none()
    return rows if user.is_superuser else rows.filter(owner=user)


def publish(submission: Submission, *, at: datetime) -> None:
    """Make a submission public. Raises RefusedError if it is not scored or its name is
    taken."""
    run = run_of(submission)
    if run is None or run.status != MetricRun.Status.COMPLETE:
        raise RefusedError(f"{submission.name} is not scored yet.", "submission-refused")
    others = rules.active_with_name(submission.judgment_set, submission.name).exclude(
        pk=submission.pk
    )
    if others.filter(published_at__isnull=False).exists():
        raise RefusedError(
            f"Another public metric has the name {submission.name}.", "submission-refused"
        )
    with transaction.atomic():
        submission.published_at = submission.published_at or at
        submission.save(update_fields=["published_at"])
        record(submission, "submission.published")


def make_private(submission: Submission) -> None:
    """Make a submission visible only to its owner."""
    if submission.owner_id is None:
        raise RefusedError(
            f"{submission.name} has no owner. Withdraw it instead.", "submission-refused"
        )
    with transaction.atomic():
        submission.published_at = None
        submission.save(update_fields=["published_at"])
        record(submission, "submission.made private")


def withdraw(submission: Submission, *, at: datetime) -> None:
    """Delete a submission's scores and answers and the analyses of them; the row stays."""
    with transaction.atomic():
        run = run_of(submission)
        if run is not None:
            Analysis.objects.filter(runs__contains=[run.pk]).delete()
            run.delete()
        submission.withdrawn_at = submission.withdrawn_at or at
        submission.choice_scores = None
        submission.save(update_fields=["withdrawn_at", "choice_scores"])
        submission.answers.all().delete()
        record(submission, "submission.withdrawn")
    submission.refresh_from_db()


def stop(submission: Submission, *, at: datetime) -> bool:
    """Stop scoring a submission. Returns False if that has ended already."""
    run = run_of(submission)
    return run is not None and run.cancel(at=at)


def retry(submission: Submission, *, at: datetime) -> MetricRun:
    """Queue a failed or stopped submission again, or one that was carried over without a run.

    The scores known so far are reused. The caller sends the tasks of the run.
    """
    if submission.is_withdrawn:
        raise RefusedError(f"{submission.name} is withdrawn.", "submission-refused")
    run = run_of(submission)
    signature = signature_of(submission) if run is None else run.signature
    return runs.request_submission_run(submission, submission_metric(submission, signature), at=at)


def run_of(submission: Submission) -> MetricRun | None:
    """The metric run of a submission; None if it is withdrawn."""
    return MetricRun.objects.filter(submission=submission).first()
