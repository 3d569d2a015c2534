"""What a submission brings: its ratings, from here or from the provider's copy of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta

from annotation.crowds.models import CrowdAssignment
from annotation.crowds.providers.mturk.answers import read_answers
from annotation.crowds.providers.provider import CrowdError, Submission
from annotation.crowds.services import arrivals
from annotation.crowds.services.orders import provider_of
from annotation.rating.models import Assignment, Hit, Rating
from annotation.rating.services import handing_out
from annotation.rating.services.handing_out import COMMENT_CHARS, RatingInput, RatingRefusedError

CANNOT = "cannot"
FIELD, COMMENT, SECONDS = "rating-", "comment-", "seconds-"
CHANGED = "The platform says that another worker submitted this than the one who rated it here."
REPEATED = "The worker has rated this task before: paid, and not counted a second time."


def fields_of(assignment: Assignment) -> dict[str, str]:
    """The ratings of a task as fields of the form that the worker's browser posts to MTurk: a
    copy, in case ours is lost on the way."""
    found = {}
    for rating in ratings_of(assignment):
        value = CANNOT if rating.value is None else str(rating.value)
        found[f"{FIELD}{rating.candidate_id}"] = value
        if rating.comment:
            found[f"{COMMENT}{rating.candidate_id}"] = rating.comment
    return found


def hand_in(crowd: CrowdAssignment, submission: Submission, *, at: datetime) -> None:
    """Let a submission's ratings count, those of here before the provider's copy.

    What is in the way is written to `problem` and left to a person: never a reason to pay less
    by itself. In the transaction that takes the report in.
    """
    worker = crowd.participation.worker
    if worker.identity is not None and not worker.is_known_as(submission.worker_id):
        _of_another(crowd, submission, at)
        return
    if not provider_of(crowd.publication).listing_per_hit:
        return
    try:
        given = read_answers(crowd.answer.open() if crowd.answer else "")
    except CrowdError as error:
        given = {}
        _note(crowd, str(error))
    assignment = crowd.assignment or _hold_of_unknown(crowd, at)
    if assignment is None:
        _note(crowd, REPEATED)
        return
    assignment.refresh_from_db()
    if assignment.status == Assignment.Status.RETURNED:
        # Given back here and submitted there all the same: as one whose time ran out.
        assignment.status = Assignment.Status.EXPIRED
        assignment.save(update_fields=["status"])
    _fill(assignment, given, at)
    try:
        handing_out.submit(assignment, at=crowd.submitted_at or at)
    except RatingRefusedError as error:
        _note(crowd, str(error))
    else:
        CrowdAssignment.objects.filter(pk=crowd.pk, rated_at=None).update(rated_at=at)


def given_in(fields: Mapping[str, str]) -> dict[int, RatingInput]:
    """The ratings among the fields of a form, by candidate; what is none is left out."""
    found = {}
    for name, value in fields.items():
        number = name.removeprefix(FIELD)
        if name == number or not number.isascii() or not number.isdigit():
            continue
        comment = fields.get(f"{COMMENT}{number}", "").replace("\0", "")[:COMMENT_CHARS]
        if value == CANNOT:
            found[int(number)] = RatingInput(None, comment or "No reason given.")
        elif value.strip().lstrip("-").isdecimal():
            found[int(number)] = RatingInput(
                int(value), comment, _seconds(fields.get(f"{SECONDS}{number}", ""))
            )
    return found


def ratings_of(assignment: Assignment) -> list[Rating]:
    return list(
        Rating.objects.filter(
            worker=assignment.worker_id, candidate__memberships__hit=assignment.hit_id
        ).order_by("candidate__memberships__position")
    )


def _of_another(crowd: CrowdAssignment, submission: Submission, at: datetime) -> None:
    """Make the row that of the worker who submitted, whom decisions and bonuses are to reach. What
    was rated in another's name counts for neither."""
    crowd.participation = arrivals.let_in(crowd.publication, submission.worker_id, at=at)
    crowd.save(update_fields=["participation"])
    _note(crowd, CHANGED)


def _fill(assignment: Assignment, given: Mapping[str, str], at: datetime) -> None:
    """Take the provider's copy of the ratings that are not here."""
    have = {rating.candidate_id for rating in ratings_of(assignment)}
    for candidate, rating in given_in(given).items():
        if candidate in have:
            continue
        try:
            handing_out.save_rating(assignment, candidate, rating, at=at)
        except RatingRefusedError:
            continue  # of another task, or off the scale: submitting will say what is missing


def _hold_of_unknown(crowd: CrowdAssignment, at: datetime) -> Assignment | None:
    """A hold for a worker who never came here, lapsed already: their ratings count where they are
    wanted and are kept as surplus where not. None where they had one of its candidates before."""
    hit, worker = crowd.listing.hit, crowd.participation.worker
    assert hit is not None
    hit = Hit.objects.select_related("stage__study").get(pk=hit.pk)
    members = hit.members.values("candidate")
    if Rating.objects.filter(worker=worker, candidate__in=members).exists():
        return None
    version = hit.stage.study.current
    made, is_new = Assignment.objects.get_or_create(
        hit=hit,
        worker=worker,
        defaults={
            "protocol_version": version,
            "status": Assignment.Status.EXPIRED,
            "seed": 0,
            "lease_until": crowd.accepted_at or at - timedelta(seconds=1),
            "started_at": crowd.accepted_at or at,
            "pay_cents": hit.pay_cents,
        },
    )
    done = (Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)
    if not is_new and made.status in done:
        return None
    CrowdAssignment.objects.filter(pk=crowd.pk).update(assignment=made)
    crowd.assignment = made
    return made


def _seconds(text: str) -> float | None:
    try:
        found = float(json.loads(text)) if text else None
    except (ValueError, TypeError):
        return None
    return found if found is not None and 0 <= found < 7 * 24 * 3600 else None


def _note(crowd: CrowdAssignment, problem: str) -> None:
    CrowdAssignment.objects.filter(pk=crowd.pk).update(problem=problem[:300])
    crowd.problem = problem[:300]
