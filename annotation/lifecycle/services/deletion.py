"""Deleting a study: its content is removed, the audit log and the payments stay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet, Sum

from annotation.crowds.models import CrowdAssignment, Payment, Publication
from annotation.lifecycle.services.unfinished import earned_by_links, open_work, unpaid_work
from annotation.privacy.services import free_texts
from annotation.privacy.services.erasing import delete_documents
from annotation.quality.models import Adjudication, SpotCheck
from annotation.rating.models import (
    HitCandidate,
    Rating,
    RatingChange,
    RatingDraft,
)
from annotation.studies.models import ComparedCandidate, Study, StudyMember
from core import audit
from core.refusals import RefusedError


@dataclass(frozen=True)
class Dependent:
    """Rows of another app that belong to a study.

    `refusals` says why the study cannot be deleted, in sentences. `delete` removes the rows.
    """

    refusals: Callable[[Study], list[str]]
    delete: Callable[[Study], object]


_dependents: list[Dependent] = []


def register(dependent: Dependent) -> None:
    """Let another app refuse the deletion of studies, and delete what it has of them."""
    _dependents.append(dependent)


def refusals(study: Study, *, at: datetime) -> list[str]:
    """Why the study cannot be deleted, in sentences with what to do; empty if it can."""
    reasons = [*open_work(study, at=at), *unpaid_work(study)]
    if study.published_at is not None:
        reasons.append("The study is public. Make it private on the Publishing page.")
    for dependent in _dependents:
        reasons += dependent.refusals(study)
    return reasons


def delete_study(study: Study, *, paid: bool = False, by: User, at: datetime) -> None:
    """Remove candidates, ratings, messages, the ledger, members and the workers' ids.

    Tasks with their pay, payments of crowds, protocol versions and the audit log stay, and the name
    stays taken. `paid` confirms that the people who came by links were paid, which cannot be seen
    here. Raises RefusedError for the reasons of `refusals`, and without `paid` where it is needed.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        reasons = refusals(study, at=at)
        earned = earned_by_links(study)
        if earned and not paid:
            reasons.append(
                f"Raters who came by links earned ${earned / 100:,.2f}. Pay them, and confirm it."
            )
        if reasons:
            raise RefusedError(" ".join(reasons), "study-refused")
        audit.record(by, "study.deleted", study, before=_summary(study, earned), study=study)
        for dependent in _dependents:
            dependent.delete(study)
        _delete_ratings(study)
        _delete_candidates(study)
        _anonymise_workers(study, at)
        study.ledger_steps.all().delete()
        study.uploads.all().delete()
        study.candidate_imports.all().delete()
        StudyMember.objects.filter(study=study).delete()
        study.deleted_at = at
        study.save(update_fields=["deleted_at"])


def _summary(study: Study, earned: int) -> dict[str, object]:
    """What the audit log keeps of the study's contents."""
    payments = Payment.objects.filter(crowd_assignment__publication__stage__study=study)
    paid = payments.aggregate(cents=Sum("cents", default=0), fees=Sum("fee_cents", default=0))
    return {
        "title": study.title,
        "candidates": study.candidates.count(),
        "ratings": _ratings(study).count(),
        "workers": study.workers.count(),
        "earned by links, cents": earned,
        "paid by crowds, cents": paid["cents"],
        "fees of crowds, cents": paid["fees"],
    }


def _ratings(study: Study) -> QuerySet[Rating]:
    return Rating.objects.filter(assignment__hit__stage__study=study)


def _delete_ratings(study: Study) -> None:
    SpotCheck.objects.filter(rating__assignment__hit__stage__study=study).delete()
    RatingChange.objects.filter(rating__assignment__hit__stage__study=study).delete()
    RatingDraft.objects.filter(assignment__hit__stage__study=study).delete()
    _ratings(study).delete()


def _delete_candidates(study: Study) -> None:
    Adjudication.objects.filter(candidate__study=study).delete()
    HitCandidate.objects.filter(hit__stage__study=study).delete()
    study.candidates.update(same_as=None)
    ComparedCandidate.objects.filter(unit__study=study).delete()
    study.candidates.all().delete()
    study.instances.all().delete()


def _anonymise_workers(study: Study, at: datetime) -> None:
    """Remove what was written about them, ids and platform documents. Names stay with their
    payments."""
    free_texts.remove(list(study.participations.values_list("pk", flat=True)))
    study.workers.filter(identity__isnull=False).update(
        identity=None, identity_key=None, released_at=at
    )
    publications = Publication.objects.filter(stage__study=study)
    for publication in publications.filter(offer__has_key="invited"):
        publication.offer = {**publication.offer, "invited": []}
        publication.save(update_fields=["offer"])
    delete_documents(list(CrowdAssignment.objects.filter(publication__in=publications)))
