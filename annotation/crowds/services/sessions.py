"""Crowds with sessions: a worker enters by a link, does any number of tasks, and gets a code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import CrowdSubmissionReport, Provider, State
from annotation.crowds.services import identities
from annotation.crowds.services.arrivals import ID_PATTERN
from annotation.crowds.services.publication_specs import offer_of, provider_of
from annotation.rating.models import Participation, Worker
from annotation.rating.services import participation
from annotation.rating.services.invitations import InvitedWorker
from core.compiled_queries import CompiledQuery, Parameter
from core.refusals import RefusedError

Status = CrowdAssignment.Status
OPEN = (Status.ACCEPTED, Status.RATED)
GONE = (Status.RETURNED, Status.ABANDONED)


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The end of a session: the code, where to take it (empty: nowhere), and after how many
    tasks."""

    code: str
    url: str
    tasks: int
    done: int
    is_recorded: bool

    @property
    def is_reached(self) -> bool:
        return self.done >= self.tasks


def enter(
    listing: Listing, worker: InvitedWorker, session_id: str | None, *, at: datetime
) -> tuple[CrowdAssignment, bool]:
    """Admit the worker named by the link; a second visit returns the same row, and False.

    A new session of a platform is admitted only if the platform says that it is this worker's.
    `session_id` is None if the panel has no sessions; a worker then has one. Raises
    RefusedError, or CrowdError if the platform does not answer; then nothing has changed.
    """
    worker_id, id_namespace = worker.worker_id, worker.provider
    if not ID_PATTERN.fullmatch(worker_id) or not (
        session_id is None or ID_PATTERN.fullmatch(session_id)
    ):
        raise RefusedError(
            gettext(
                "The link does not contain your worker id. Go back to the page that sent you here,"
                " and open the study from there."
            ),
            "entry-refused",
        )
    publication = listing.publication
    rows = CrowdAssignment.objects.filter(publication=publication)
    if session_id is not None and not rows.filter(provider_id=session_id).exists():
        _check_session(listing, worker_id, session_id)
    with transaction.atomic():
        Listing.objects.select_for_update().get(pk=listing.pk)
        if session_id is None:
            sessions = rows.filter(
                participation__worker__in=Worker.objects.known_as(id_namespace, worker_id)
            )
        else:
            sessions = rows.filter(provider_id=session_id)
        session = sessions.select_related("participation__worker").first()
        if session is not None:
            if not session.participation.worker.is_known_as(worker_id):
                raise RefusedError(
                    gettext(
                        "This link was changed: the session belongs to another person. Go back and"
                        " open your own link."
                    ),
                    "entry-refused",
                )
            return session, False
        if listing.expired_at or publication.status == Publication.Status.ENDED:
            raise RefusedError(
                gettext("This study is closed to new participants. Thank you for your interest."),
                "entry-refused",
            )
        # A platform with an API limits its places itself.
        is_full = rows.exclude(status__in=GONE).count() >= listing.places
        if is_full and not provider_of(publication).pays:
            raise RefusedError(
                gettext(
                    "This study has all the participants it needs. Thank you for your interest."
                ),
                "entry-refused",
            )
        participant = participation.join(publication.stage.study, id_namespace, worker_id, at=at)
        session = CrowdAssignment.objects.create(
            publication=publication,
            listing=listing,
            participation=participant,
            provider_id=session_id or f"worker-{participant.worker_id}",
            accepted_at=at,
        )
        return session, True


def enrol(participant: Participation, at: datetime) -> None:
    """Give a rater who joined by a personal link a place of the study's link, if it has one.

    A person whom the researcher named needs no free place. Repeated calls have no effect.
    """
    listing = (
        Listing.objects.filter(publication__stage__study=participant.study_id)
        .filter(publication__provider="link", publication__status=Publication.Status.LIVE)
        .filter(expired_at=None)
        .first()
    )
    if listing is not None:
        CrowdAssignment.objects.get_or_create(
            publication_id=listing.publication_id,
            provider_id=f"worker-{participant.worker_id}",
            defaults={"listing": listing, "participation": participant, "accepted_at": at},
        )


def _check_session(listing: Listing, worker_id: str, session_id: str) -> None:
    """Raises RefusedError unless the platform says that the worker works on the listing now.

    The ids in the link are not signed.
    """
    report = provider_of(listing.publication).session(session_id)
    if (
        report is None
        or (report.worker_id, report.state) != (worker_id, State.ACCEPTED)
        or (listing.provider_id and report.listing_id != listing.provider_id)
    ):
        raise RefusedError(
            gettext(
                "This link does not belong to a session of yours that is open now. Go back to the "
                "page that sent you here, and open the study from there."
            ),
            "entry-refused",
        )


def session_end_of(participant: Participation, tasks_done: int) -> SessionEnd | None:
    """The end of the participation's session; None if it did not come through a crowd's link."""
    crowd = _session(participant)
    if crowd is None:
        return None
    provider, offer = provider_of(crowd.publication), offer_of(crowd.publication)
    code = _code(crowd, provider)
    return SessionEnd(
        code,
        provider.return_url(code, offer),
        offer.tasks_each,
        tasks_done,
        crowd.status != Status.ACCEPTED,
    )


def tasks_of(participant: Participation) -> int | None:
    """The number of tasks of the participation's session; None if it has no session."""
    offer = _offers.first(participation=participant.pk)
    return None if offer is None else Offer.from_json(offer).tasks_each


@CompiledQuery
def _offers() -> QuerySet[CrowdAssignment, dict[str, Any]]:  # JSON
    """The offer of a participation's last session."""
    rows = _sessions(Parameter("participation")).order_by("-pk")
    return rows.values_list("publication__offer", flat=True)[:1]


def end(participant: Participation, at: datetime) -> None:
    """Record that the worker has completed the session's tasks. The platform reports the
    submission."""
    crowd = _session(participant)
    if crowd is not None:
        CrowdAssignment.objects.filter(pk=crowd.pk, status=Status.ACCEPTED).update(
            status=Status.RATED, rated_at=at
        )


def problem_of(crowd: CrowdAssignment, code: str, *, was_returned: bool) -> str:
    """Why a person must look at a submitted session; empty if nothing speaks against its pay.

    code: that the platform reports; a panel's file may have none.
    """
    provider = provider_of(crowd.publication)
    problems = []
    if crowd.rated_at is None:
        problems.append("The session was submitted before its tasks were completed here.")
    if (code or provider.pays) and code.strip().upper() != _code(crowd, provider):
        problems.append("The completion code is missing or wrong.")
    if was_returned:
        problems.append("The session was returned before it was submitted.")
    return " ".join(problems)


def _code(crowd: CrowdAssignment, provider: Provider) -> str:
    """The completion code: the publication's on a platform with an API, else the worker's own."""
    return (crowd.publication if provider.pays else crowd.participation).completion_code


def submission_of(crowd: CrowdAssignment) -> CrowdSubmissionReport:
    """The submission of a worker who finished here, for providers that report none."""
    worker = crowd.participation.worker
    return CrowdSubmissionReport(
        crowd.provider_id,
        crowd.listing.provider_id,
        identities.identity_of(worker) if worker.identity is not None else "",
        State.SUBMITTED,
        submitted_at=crowd.rated_at,
    )


def _session(participant: Participation) -> CrowdAssignment | None:
    return _sessions(participant).select_related("publication", "participation").last()


def _sessions(participant: Participation | Parameter) -> QuerySet[CrowdAssignment]:
    return CrowdAssignment.objects.filter(participation=participant, listing__hit=None)
