"""Forgetting a worker who asks for it: who they were and what they wrote goes, the aggregate stays.

A worker is of one study; whoever takes part in several is erased in each, by its owners, or in all
by `erase_everywhere`. The worker gets another name: what was written down under the old one, in the
audit above all, cannot be joined with what stays.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, QuerySet

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.services.erased_ids import ERASED_PREFIX, erased_ids_of
from annotation.identities.sealing import Sealed
from annotation.quality.models import LedgerStep, SpotCheck
from annotation.quality.services.ledgers import lock_ledger
from annotation.rating.models import (
    Assignment,
    Hit,
    Message,
    Participation,
    Rating,
    RatingChange,
    Worker,
)
from annotation.rating.services import handing_out
from core import audit
from core.audit.models import AuditEvent

OWED = (CrowdAssignment.Status.RATED, CrowdAssignment.Status.SUBMITTED)
UNFINISHED = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED)
PAYING = ("approve", "reject", "bonus")


class ErasingRefusedError(ValueError):
    """A worker who cannot be erased now; the message says why and what to do."""


@dataclass(frozen=True)
class Erased:
    """What was removed of a worker in a study, in counts, and what stays: `name` is the anonymous
    worker's, `frozen` the judgment sets that were frozen before and keep their pseudonym."""

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
        """What was removed and what stays, for people."""
        gone = f"{self.messages:,} messages, {self.comments:,} comments, {self.documents:,} answers"
        ratings = (
            f"{self.ratings_removed:,} ratings are removed too, and every figure of the study is "
            "computed without them."
            if self.ratings_removed
            else f"{self.ratings_kept:,} ratings stay, as those of {self.name}, of whom nothing "
            "else is known."
        )
        frozen = ", ".join(self.frozen)
        stays = f" Frozen before, and unchanged: {frozen}." if frozen else ""
        return f"Who they are, {gone} of the platform are removed. {ratings}{stays}"


def erase(
    participation: Participation,
    *,
    ratings: bool = False,
    unpaid: bool = False,
    by: User | None,
    at: datetime,
) -> Erased:
    """Erase a worker from a study, with their ratings where `ratings`.

    Raises ErasingRefusedError while their work waits for a decision or a payment on its way, which
    nobody could make any more, unless `unpaid`.
    """
    with transaction.atomic():
        lock_ledger(participation.study)
        participation = Participation.objects.select_for_update().get(pk=participation.pk)
        # A rating that is being saved locks its assignment, then shares the worker's key.
        participation.worker = Worker.objects.select_for_update(no_key=True).get(
            pk=participation.worker_id
        )
        if participation.worker.erased_at is not None:
            raise ErasingRefusedError(f"{participation.worker.name} is erased already.")
        if not unpaid:
            _refuse_while_owed(participation)
        _end_holds(participation)
        documents = _forget_crowds(participation)
        messages, _ = Message.objects.filter(participation=participation).delete()
        comments = _forget_comments(participation)
        kept, removed = _ratings(participation).count(), 0
        if ratings:
            kept, removed = 0, _remove_ratings(participation)
        anonymous = _make_anonymous(participation, at)
        found = Erased(
            study=participation.study.slug,
            name=anonymous.name,
            messages=messages,
            comments=comments,
            documents=documents,
            ratings_removed=removed,
            ratings_kept=kept,
            frozen=_frozen(participation),
        )
        about = {"messages": messages, "comments": comments, "documents": documents}
        about |= {"ratings_removed": removed, "ratings_kept": kept}
        audit.record(by, "worker.erased", anonymous, after=about, study=participation.study)
    return found


def erase_everywhere(
    workers: Iterable[Worker],
    *,
    ratings: bool = False,
    unpaid: bool = False,
    by: User | None = None,
    at: datetime,
) -> list[Erased]:
    """Erase somebody from all their studies, in each of which they are another of `workers`; all
    or none. Raises ErasingRefusedError."""
    with transaction.atomic():
        parts = Participation.objects.filter(worker__in=list(workers)).order_by("pk")
        return [erase(one, ratings=ratings, unpaid=unpaid, by=by, at=at) for one in parts]


def is_owed(participation: Participation) -> bool:
    """Whether a decision or a payment is still to come that needs to know who they are."""
    rows = CrowdAssignment.objects.filter(participation=participation)
    calls = CrowdCall.objects.filter(
        crowd_assignment__in=rows, kind__in=PAYING, status__in=UNFINISHED
    )
    return rows.filter(status__in=OWED).exists() or calls.exists()


def forget_documents(rows: list[CrowdAssignment]) -> int:
    """Drop what the provider said was submitted and the assignments' own ids; how many answers."""
    for crowd in rows:
        if not crowd.provider_id.startswith(ERASED_PREFIX):
            mark = erased_ids_of(crowd.provider_id)[0]
            CrowdAssignment.objects.filter(pk=crowd.pk).update(provider_id=mark, answer=None)
    return sum(crowd.answer is not None for crowd in rows)


def _refuse_while_owed(participation: Participation) -> None:
    if is_owed(participation):
        raise ErasingRefusedError(
            f"{participation.worker.name} has work that waits to be decided on or paid, and "
            "without their identity nobody could pay them. Decide on it first, or erase them all "
            "the same and leave it unpaid."
        )


def _end_holds(participation: Participation) -> None:
    """Lock the worker's HITs and return what they hold, or let lapse: nothing is saved or
    submitted any more."""
    hits = Hit.objects.filter(
        stage__study=participation.study_id, assignments__worker=participation.worker_id
    )
    list(hits.select_for_update(of=("self",)).order_by("pk"))
    mine = Assignment.objects.filter(worker=participation.worker_id, hit__in=hits)
    for assignment in mine.filter(status=Assignment.Status.HELD):
        handing_out.give_back(assignment)
    mine.filter(status=Assignment.Status.EXPIRED).update(status=Assignment.Status.RETURNED)


def _forget_crowds(participation: Participation) -> int:
    """The platforms' documents, calls that nobody can make any more, and the invitation."""
    rows = list(CrowdAssignment.objects.filter(participation=participation))
    calls = CrowdCall.objects.filter(status__in=UNFINISHED)
    for mine in (
        calls.filter(crowd_assignment__in=rows, kind__in=PAYING),
        calls.filter(kind__in=("exclude", "admit"), payload__participation=participation.pk),
    ):
        mine.update(status=CrowdCall.Status.CANCELLED)
    CrowdAssignment.objects.filter(pk__in=[one.pk for one in rows]).update(feedback="", problem="")
    _forget_invitation(participation)
    return forget_documents(rows)


def _forget_invitation(participation: Participation) -> None:
    identity = participation.worker.identity
    local = Publication.objects.filter(stage__study=participation.study_id, provider="local")
    if identity is None:
        return
    opened = identity.open()
    for publication in local.select_for_update(of=("self",)):
        invited = publication.offer["invited"]
        left = [token for token in invited if Sealed(token).open() != opened]
        if left != invited:
            publication.offer = {**publication.offer, "invited": left}
            publication.save(update_fields=["offer"])


def _forget_comments(participation: Participation) -> int:
    """What they wrote beside their ratings, and why they were excluded."""
    rows = _ratings(participation)
    changes = RatingChange.objects.filter(rating__in=rows)
    count = rows.exclude(comment="").update(comment="")
    count += changes.exclude(comment="").update(comment="")
    participation.exclusion_reason = ""
    participation.save(update_fields=["exclusion_reason"])
    return count


def _remove_ratings(participation: Participation) -> int:
    """Their ratings are gone, and others may give them in their place; what they earned stays."""
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
    """The worker without an identity, under another name, which the ledger learns."""
    worker = participation.worker
    old, worker.name = worker.name, f"anonymous-{secrets.token_hex(6)}"
    worker.identity = worker.identity_key = None
    worker.erased_at = at
    worker.save()
    steps = LedgerStep.objects.filter(study=participation.study_id, content__worker=old)
    for step in steps.select_for_update(of=("self",)):
        step.content = {**step.content, "worker": worker.name}
        if "reason" in step.content:
            step.content["reason"] = ""
        step.save(update_fields=["content"])
    return worker


def _ratings(participation: Participation) -> QuerySet[Rating]:
    return Rating.objects.filter(
        worker=participation.worker_id, assignment__hit__stage__study=participation.study_id
    )


def _frozen(participation: Participation) -> tuple[str, ...]:
    """The judgment sets that the study was frozen to, by the book."""
    events = AuditEvent.objects.of_study(participation.study).filter(action="study.frozen")
    return tuple(event.after["judgment set"] for event in events.order_by("pk") if event.after)
