"""The ratings of a submission: those saved here, or the provider's copy of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from annotation.crowds.models import CrowdAssignment
from annotation.crowds.providers.mturk.answers import read_answers
from annotation.crowds.providers.provider import CrowdError, CrowdSubmissionReport
from annotation.crowds.services import arrivals, sessions
from annotation.crowds.services.pages import PAGE_SEED
from annotation.crowds.services.publication_specs import provider_of
from annotation.rating.models import Assignment, Hit, Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.changes import locked
from annotation.rating.services.questions import answers_of_form, fields_of_answers
from annotation.rating.services.rating_checks import CANNOT, COMMENT_CHARS, Answer
from annotation.studies.models import Stage
from concord.protocols import Protocol
from concord.protocols.criteria import whole_number
from core.refusals import RefusedError

RATING_PREFIX, COMMENT_PREFIX, SECONDS_PREFIX = "rating-", "comment-", "seconds-"
WORKER_DIFFERS = (
    "According to the platform another worker submitted this than the one who rated it here."
)
REPEATED = "The worker has rated this task before. It is paid but not counted again."


def form_fields(assignment: Assignment) -> dict[str, str]:
    """The ratings of a task as fields of the form that the browser posts to MTurk.

    They are a copy in case a rating is lost here.
    """
    fields = {}
    protocol = assignment.protocol_version.protocol
    for rating in ratings_of(assignment):
        value = CANNOT if rating.value is None else str(rating.value)
        fields[f"{RATING_PREFIX}{rating.candidate_id}"] = value
        if rating.comment:
            fields[f"{COMMENT_PREFIX}{rating.candidate_id}"] = rating.comment
        fields |= fields_of_answers(protocol, rating.candidate_id, rating.answers)
    return fields


def count_ratings(
    crowd: CrowdAssignment,
    submission: CrowdSubmissionReport,
    *,
    was_returned: bool,
    at: datetime,
) -> None:
    """Count a submission's ratings; those saved here take precedence over the provider's copy.

    A problem is stored for a person and never reduces the pay by itself. Must run in the
    transaction that records the submission.
    """
    worker = crowd.participation.worker
    if worker.identity is not None and not worker.is_known_as(submission.worker_id):
        _reassign(crowd, submission, at)
        return
    if not provider_of(crowd.publication).listing_per_hit:
        problem = sessions.problem_of(crowd, submission.answer, was_returned=was_returned)
        if problem:
            _record_problem(crowd, problem)
        return
    try:
        answers = read_answers(crowd.answer.open() if crowd.answer else "")
    except CrowdError as error:
        answers = {}
        _record_problem(crowd, str(error))
    assignment = crowd.assignment or _expired_assignment(crowd, at)
    if assignment is None:
        _record_problem(crowd, REPEATED)
        return
    assignment.refresh_from_db()
    if assignment.status == Assignment.Status.RETURNED:
        # Returned here and still submitted there: treat it as an expired assignment.
        assignment.status = Assignment.Status.EXPIRED
        assignment.save(update_fields=["status"])
    refusals = _save_missing_ratings(assignment, answers, at)
    # The worker submitted there: a change that was not finished no longer replaces the rating.
    assignment.drafts.filter(
        candidate__in=[one.candidate_id for one in ratings_of(assignment)]
    ).delete()
    try:
        _submit(assignment, crowd.submitted_at or at)
    except RefusedError as error:
        _record_problem(crowd, " ".join([str(error), *refusals]))
    else:
        CrowdAssignment.objects.filter(pk=crowd.pk, rated_at=None).update(rated_at=at)


def _submit(assignment: Assignment, at: datetime) -> None:
    """Submit a task, and grade it if it is a paid qualification test."""
    if assignment.hit.stage.kind == Stage.Kind.QUALIFICATION:
        participation.submit_test(assignment, at=at)
    else:
        handing_out.submit(assignment, at=at)


def parse_ratings(protocol: Protocol, fields: Mapping[str, str]) -> dict[int, Answer]:
    """The ratings in the fields of a form, by candidate. Other fields are ignored."""
    fields = {name: value.replace("\0", "") for name, value in fields.items()}
    ratings = {}
    for name, value in fields.items():
        number = name.removeprefix(RATING_PREFIX)
        if name == number or not number.isascii() or not number.isdigit():
            continue
        comment = fields.get(f"{COMMENT_PREFIX}{number}", "")[:COMMENT_CHARS]
        if value == CANNOT:
            ratings[int(number)] = Answer(None, comment or "No reason given.")
        elif (rated := whole_number(value.strip())) is not None:
            seconds = _seconds(fields.get(f"{SECONDS_PREFIX}{number}", ""))
            answers = answers_of_form(protocol, int(number), rated, fields)
            ratings[int(number)] = Answer(rated, comment, seconds, answers)
    return ratings


def ratings_of(assignment: Assignment) -> list[Rating]:
    return list(Rating.objects.made_in(assignment).order_by("candidate__memberships__position"))


def _reassign(crowd: CrowdAssignment, submission: CrowdSubmissionReport, at: datetime) -> None:
    """Assign the row to the worker who submitted, for decisions and bonuses.

    The ratings made under another worker's name do not count.
    """
    crowd.participation = arrivals.join_study(crowd.publication, submission.worker_id, at=at)
    crowd.save(update_fields=["participation"])
    _record_problem(crowd, WORKER_DIFFERS)


def _save_missing_ratings(
    assignment: Assignment, fields: Mapping[str, str], at: datetime
) -> list[str]:
    """Save ratings of the provider's copy that are missing here; return why others were refused."""
    refusals = []
    with locked(assignment.pk, assignment.worker_id) as task:
        for candidate, rating in parse_ratings(task.protocol, fields).items():
            if any(one.candidate_id == candidate for one in task.ratings_of_try):
                continue
            try:
                task.save_rating(candidate, rating, at=at)
            except RefusedError as error:
                refusals.append(str(error))
    return refusals


def _expired_assignment(crowd: CrowdAssignment, at: datetime) -> Assignment | None:
    """An expired assignment for a worker who never opened the task here.

    Their ratings count where ratings are still missing, and are stored as surplus otherwise. None
    if they have rated one of the candidates before.
    """
    hit, worker = crowd.listing.hit, crowd.participation.worker
    assert hit is not None
    hit = Hit.objects.select_related("stage__study").get(pk=hit.pk)
    members = hit.members.values("candidate")
    if Rating.objects.filter(worker=worker, candidate__in=members).exists():
        return None
    version = hit.stage.study.current
    assignment, is_new = Assignment.objects.get_or_create(
        hit=hit,
        worker=worker,
        defaults={
            "protocol_version": version,
            "status": Assignment.Status.EXPIRED,
            "seed": PAGE_SEED,
            "lease_until": crowd.accepted_at or at - timedelta(seconds=1),
            "started_at": crowd.accepted_at or at,
            "pay_cents": hit.pay_cents,
        },
    )
    submitted = (Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)
    if not is_new and assignment.status in submitted:
        return None
    CrowdAssignment.objects.filter(pk=crowd.pk).update(assignment=assignment)
    crowd.assignment = assignment
    return assignment


def _seconds(text: str) -> float | None:
    try:
        seconds = float(json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None
    return seconds if seconds is not None and 0 <= seconds < 7 * 24 * 3600 else None


def _record_problem(crowd: CrowdAssignment, problem: str) -> None:
    CrowdAssignment.objects.filter(pk=crowd.pk).update(problem=problem[:300])
    crowd.problem = problem[:300]
