"""Erasing a worker on request: identity and texts are removed, aggregates stay.

A worker belongs to one study. A person in several studies is erased in each by its owners, or in
all by `erase_everywhere`. The worker gets a new name, so that records under the old name, such as
the audit log, cannot be joined with the remaining data.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from annotation.crowds.models import CrowdAssignment, CrowdCall
from annotation.crowds.services.erased_ids import ERASED_PREFIX, erased_ids_of
from annotation.privacy.services import free_texts
from annotation.quality.models import LedgerStep, SpotCheck
from annotation.quality.services.ledgers import lock_ledger
from annotation.rating.models import (
    Assignment,
    Hit,
    Participation,
    Rating,
    RatingChange,
    RatingDraft,
    Worker,
)
from annotation.rating.services import handing_out
from annotation.studies.services.frozen_sets import frozen_sets
from concord.bounds import REQUIRED, flag, text
from concord.sentences import counted
from core import audit
from core.refusals import RefusedError

OWED = (CrowdAssignment.Status.RATED, CrowdAssignment.Status.SUBMITTED)
UNFINISHED = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED)
PAYING = ("approve", "reject", "bonus")


@dataclass(frozen=True, slots=True)
class Erasure:
    """`confirm` is the worker's name again: erasing cannot be undone."""

    confirm: str = field(metadata=text(100, required=REQUIRED))
    ratings: bool = field(
        default=False,
        metadata=flag("Remove the ratings too.", label="Remove the worker's ratings too"),
    )
    unpaid: bool = field(
        default=False,
        metadata=flag(
            "Erase even if work is not reviewed or paid.",
            label="Erase even if work is not reviewed or paid",
        ),
    )


@dataclass(frozen=True)
class ErasureResult:
    """What was removed of a worker in a study, as counts, and what is kept.

    `name` is the anonymous worker's name. `frozen` lists judgment sets frozen before; they keep
    their pseudonym.
    """

    study: str
    name: str
    messages: int
    comments: int
    documents: int
    ratings_removed: int
    ratings_kept: int
    frozen: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was removed and what is kept, for people."""
        removed = (
            f"{counted(self.messages, 'message')}, {counted(self.comments, 'comment')} and "
            f"{counted(self.documents, 'platform submission')}"
        )
        ratings = (
            f"{counted(self.ratings_removed, 'rating was', 'ratings were')} removed too; all "
            "figures of the study are now computed without them."
            if self.ratings_removed
            else f"{counted(self.ratings_kept, 'rating is', 'ratings are')} kept under the "
            f"anonymous name {self.name}."
        )
        frozen = ", ".join(self.frozen)
        unchanged = (
            f" These judgment sets were frozen before and do not change: {frozen}."
            if frozen
            else ""
        )
        return f"The identity, {removed} were removed. {ratings}{unchanged}"


def erase(
    participation: Participation,
    *,
    ratings: bool = False,
    unpaid: bool = False,
    by: User | None,
    at: datetime,
) -> ErasureResult:
    """Erase a worker from a study, with the ratings if `ratings`.

    Raises RefusedError while work is not reviewed or a payment is pending, because nobody
    could pay it afterwards, unless `unpaid`.
    """
    with transaction.atomic():
        lock_ledger(participation.study)
        participation = Participation.objects.select_for_update().get(pk=participation.pk)
        # Saving a rating locks its assignment, then takes a share lock on the worker's key.
        participation.worker = Worker.objects.select_for_update(no_key=True).get(
            pk=participation.worker_id
        )
        if participation.worker.erased_at is not None:
            raise RefusedError(
                f"{participation.worker.name} is already erased.", "study-refused", "unpaid"
            )
        if not unpaid:
            _check_nothing_pending(participation)
        _return_assignments(participation)
        documents = _delete_crowd_data(participation)
        messages = free_texts.remove([participation.pk])
        comments = _delete_comments(participation)
        ratings_kept, removed = _ratings(participation).count(), 0
        if ratings:
            ratings_kept, removed = 0, _remove_ratings(participation)
        anonymous = _make_anonymous(participation, at)
        result = ErasureResult(
            study=participation.study.slug,
            name=anonymous.name,
            messages=messages,
            comments=comments,
            documents=documents,
            ratings_removed=removed,
            ratings_kept=ratings_kept,
            frozen=frozen_sets(participation.study),
        )
        about = {"messages": messages, "comments": comments, "documents": documents}
        about |= {"ratings_removed": removed, "ratings_kept": ratings_kept}
        audit.record(by, "worker.erased", anonymous, after=about, study=participation.study)
    return result


def erase_everywhere(
    workers: Iterable[Worker],
    *,
    ratings: bool = False,
    unpaid: bool = False,
    by: User | None = None,
    at: datetime,
) -> list[ErasureResult]:
    """Erase a person from all their studies, in each of which they are one of `workers`.

    All or nothing. Raises RefusedError.
    """
    with transaction.atomic():
        parts = Participation.objects.filter(worker__in=list(workers)).order_by("pk")
        return [erase(one, ratings=ratings, unpaid=unpaid, by=by, at=at) for one in parts]


def has_pending_payment(participation: Participation) -> bool:
    """Whether a decision or payment that needs the worker's identity is pending."""
    rows = CrowdAssignment.objects.filter(participation=participation)
    calls = CrowdCall.objects.filter(
        crowd_assignment__in=rows, kind__in=PAYING, status__in=UNFINISHED
    )
    return rows.filter(status__in=OWED).exists() or calls.exists()


def delete_documents(rows: list[CrowdAssignment]) -> int:
    """Delete the reported submissions and the assignments' platform ids; returns how many
    answers."""
    for crowd in rows:
        if not crowd.provider_id.startswith(ERASED_PREFIX):
            erased_id = erased_ids_of(crowd.provider_id)[0]
            CrowdAssignment.objects.filter(pk=crowd.pk).update(provider_id=erased_id, answer=None)
    return sum(crowd.answer is not None for crowd in rows)


def _check_nothing_pending(participation: Participation) -> None:
    if has_pending_payment(participation):
        raise RefusedError(
            f"{participation.worker.name} has work that is not reviewed or paid, and without the "
            "identity nobody could pay it. Review it first, or choose to erase the worker and "
            "leave the work unpaid.",
            "study-refused",
            "unpaid",
        )


def _return_assignments(participation: Participation) -> None:
    """Lock the worker's HITs and return the assignments in progress, so that nothing more is
    saved."""
    hits = Hit.objects.filter(
        stage__study=participation.study_id, assignments__worker=participation.worker_id
    )
    list(hits.select_for_update(of=("self",)).order_by("pk"))
    assignments = Assignment.objects.filter(worker=participation.worker_id, hit__in=hits)
    for assignment in assignments.filter(status=Assignment.Status.HELD):
        handing_out.return_hit(assignment)
    assignments.filter(status=Assignment.Status.EXPIRED).update(status=Assignment.Status.RETURNED)


def _delete_crowd_data(participation: Participation) -> int:
    """Delete the platforms' documents, and calls that can no longer be made."""
    rows = list(CrowdAssignment.objects.filter(participation=participation))
    calls = CrowdCall.objects.filter(status__in=UNFINISHED)
    for unfinished in (
        calls.filter(crowd_assignment__in=rows, kind__in=PAYING),
        calls.filter(kind__in=("exclude", "admit"), payload__participation=participation.pk),
    ):
        unfinished.update(status=CrowdCall.Status.CANCELLED)
    return delete_documents(rows)


def _delete_comments(participation: Participation) -> int:
    """Delete comments on ratings, free-text answers, and what is not finished."""
    rows = _ratings(participation)
    changes = RatingChange.objects.filter(rating__in=rows)
    RatingDraft.objects.filter(
        assignment__worker=participation.worker_id,
        assignment__hit__stage__study=participation.study_id,
    ).delete()
    count = rows.exclude(comment="").update(comment="")
    count += changes.exclude(comment="").update(comment="")
    return count + _delete_free_texts(rows, changes)


def _delete_free_texts(rows: QuerySet[Rating], changes: QuerySet[RatingChange]) -> int:
    """Delete answers to criteria of the kind text; returns of how many ratings and changes."""
    count = 0
    texts: dict[int, set[str]] = {}
    answered = rows.exclude(answers={}).select_related("assignment__protocol_version")
    changed = changes.exclude(answers={}).select_related("rating__assignment__protocol_version")
    with_answers: list[Rating | RatingChange] = [*answered, *changed]
    for row in with_answers:
        assignment = row.rating.assignment if isinstance(row, RatingChange) else row.assignment
        version = assignment.protocol_version
        if version.pk not in texts:
            criteria = version.protocol.criteria
            texts[version.pk] = {one.name for one in criteria if one.kind == "text"}
        answers = {name: one for name, one in row.answers.items() if name not in texts[version.pk]}
        if answers != row.answers:
            row.answers = answers
            row.save(update_fields=["answers"])
            count += 1
    return count


def _remove_ratings(participation: Participation) -> int:
    """Remove the ratings and reopen their slots; earnings are kept."""
    rows = _ratings(participation)
    RatingChange.objects.filter(rating__in=rows).delete()
    SpotCheck.objects.filter(rating__in=rows).delete()
    counted = Assignment.objects.filter(
        worker=participation.worker_id,
        hit__stage__study=participation.study_id,
        status=Assignment.Status.SUBMITTED,
    )
    Hit.objects.filter(pk__in=counted.values("hit")).update(open_slots=F("open_slots") + 1)
    counted.update(status=Assignment.Status.SURPLUS)
    removed = rows.count()
    rows.delete()
    return removed


def _make_anonymous(participation: Participation, at: datetime) -> Worker:
    """Remove the worker's identity and give a new name, also in the ledger."""
    worker = participation.worker
    old_name, worker.name = worker.name, f"anonymous-{secrets.token_hex(6)}"
    worker.identity = worker.identity_key = None
    worker.erased_at = at
    worker.save()
    steps = LedgerStep.objects.filter(study=participation.study_id, content__worker=old_name)
    for step in steps.select_for_update(of=("self",)):
        step.content = {**step.content, "worker": worker.name}
        step.save(update_fields=["content"])
    return worker


def _ratings(participation: Participation) -> QuerySet[Rating]:
    return Rating.objects.filter(
        worker=participation.worker_id, assignment__hit__stage__study=participation.study_id
    )
