"""The outbox: calls to providers, each stored before it is made.

One transaction claims a call (SKIP LOCKED, a lease, an attempt number), the call is made, and a
second transaction stores the outcome and its consequences. If the process dies in between, the
lease expires and the call is made again with the same token. A process that finishes late finds
another attempt number and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Least
from django.utils import timezone

from annotation.crowds.models import CrowdCall, Publication
from annotation.crowds.providers.provider import (
    AccountError,
    CrowdBusyError,
    CrowdError,
    Provider,
    PublicationSpec,
)
from annotation.crowds.services import call_handlers
from annotation.crowds.services.publication_specs import provider_of, spec_of
from concord.retries import retry_pause
from core.jobs.leases import CLOCK_SKEW

Status = CrowdCall.Status
UNFINISHED = (Status.WAITING, Status.STARTED)
BLOCKING = (*UNFINISHED, Status.FAILED)
LEASE = timedelta(seconds=90)  # longer than the longest request, timeouts included
# After a platform was busy: the first delay (see `retry_pause`) and the longest.
FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS = 0.5, 60.0


@dataclass(slots=True)
class OutboxResult:
    """The result of a run.

    `left` counts calls that still wait, until `again_at` if the platform was busy. `problem` says
    why a person must act.
    """

    done: int = 0
    failed: int = 0
    waits: int = 0
    left: int = 0
    problem: str = ""
    again_at: datetime | None = None


def run(
    publication: Publication,
    *,
    provider: Provider | None = None,
    clock: Callable[[], datetime] = timezone.now,
    first_delay: float = FIRST_DELAY_SECONDS,
    result: OutboxResult | None = None,
) -> OutboxResult:
    """Make the publication's calls until no more can be made now, and never wait.

    If the platform is busy, all calls are postponed: its limit holds for the account. `result`
    counts an earlier run too.
    """
    provider = provider or provider_of(publication)
    result = result or OutboxResult()
    result.again_at = None
    spec: PublicationSpec | None = None
    while (call := claim(publication, at=clock())) is not None:
        try:
            spec = spec or spec_of(publication)
            outcome = call_handlers.perform(call, provider, spec, at=clock())
        except CrowdBusyError as error:
            result.waits += 1
            delay = retry_pause(call.attempt, first=first_delay, longest=MAX_DELAY_SECONDS)
            result.again_at = clock() + timedelta(seconds=delay)
            postpone(call, str(error), result.again_at)
            break
        except AccountError as error:
            suspend(call, str(error))
            result.problem = str(error)
            break
        except CrowdError as error:
            result.failed += fail(call, str(error), at=clock())
            if call.rank < call_handlers.LISTING_RANK:
                result.problem = str(error)
                break
        else:
            result.done += finish(call, outcome, at=clock())
    result.left = unfinished(publication).count()
    return result


def can_be_made(at: datetime) -> Q:
    """Select calls that wait for nothing but their turn.

    A time beyond the longest delay or lease was stored before the clock was set back.
    """
    longest = timedelta(seconds=MAX_DELAY_SECONDS)
    is_due = Q(not_before=None) | ~Q(not_before__range=(at, at + longest + CLOCK_SKEW))
    is_lapsed = ~Q(lease_until__range=(at, at + LEASE + CLOCK_SKEW))
    return (Q(status=Status.WAITING) & is_due) | (Q(status=Status.STARTED) & is_lapsed)


def claim(publication: Publication, *, at: datetime) -> CrowdCall | None:
    """Take the lease on the next call that can be made now; None if there is none.

    None is made while the publication is paused; only `retry_failed` ends the pause.
    """
    # Only preparations block other calls: a refused listing does not block payments.
    blocking = CrowdCall.objects.filter(
        publication=publication,
        rank__lt=Least(OuterRef("rank"), call_handlers.LISTING_RANK),
        status__in=BLOCKING,
    )
    with transaction.atomic():
        call = (
            CrowdCall.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(can_be_made(at), ~Exists(blocking), publication=publication)
            .filter(publication__problem="")
            .order_by("rank", "pk")
            .first()
        )
        if call is None:
            return None
        call.status, call.attempt, call.lease_until = Status.STARTED, call.attempt + 1, at + LEASE
        call.first_tried_at = call.first_tried_at or at
        call.save(update_fields=["status", "attempt", "lease_until", "first_tried_at"])
    return CrowdCall.objects.select_related(
        "listing__hit", "crowd_assignment__participation__worker", "publication__stage__study"
    ).get(pk=call.pk)


def finish(call: CrowdCall, result: dict[str, object], *, at: datetime) -> bool:
    """Store that a call is done, and its consequences.

    Returns False if another process has taken the call over.
    """
    with transaction.atomic():
        updated = call.held.update(
            status=Status.DONE, result=result, error="", lease_until=None, done_at=at
        )
        if updated:
            call_handlers.apply(call, result, at=at)
    return bool(updated)


def fail(call: CrowdCall, error: str, *, at: datetime) -> bool:
    """Store that the provider refused the call; a person may retry it.

    Returns False if another process has taken the call over.
    """
    updated = call.held.update(status=Status.FAILED, error=error, lease_until=None, done_at=at)
    if updated and call.rank < call_handlers.LISTING_RANK:
        _set_problem(call, error)
    return bool(updated)


def postpone(call: CrowdCall, error: str, until: datetime) -> None:
    """Return the call to the outbox; no call of the publication is made before `until`."""
    if call.held.update(status=Status.WAITING, error=error, lease_until=None):
        CrowdCall.objects.filter(publication=call.publication_id, status=Status.WAITING).filter(
            Q(not_before=None) | Q(not_before__lt=until)
        ).update(not_before=until)


def suspend(call: CrowdCall, error: str) -> None:
    """Return the call to the outbox and pause the publication: its account cannot be used."""
    if call.held.update(status=Status.WAITING, error=error, lease_until=None, not_before=None):
        _set_problem(call, error)


def retry_failed(publication: Publication) -> int:
    """End the pause, and queue every failed call again, at a person's request; returns how many."""
    Publication.objects.filter(pk=publication.pk).update(problem="")
    failed = CrowdCall.objects.filter(publication=publication, status=Status.FAILED)
    return failed.update(status=Status.WAITING, not_before=None)


def unfinished(publication: Publication) -> QuerySet[CrowdCall]:
    return CrowdCall.objects.filter(publication=publication, status__in=UNFINISHED)


def _set_problem(call: CrowdCall, error: str) -> None:
    Publication.objects.filter(pk=call.publication_id).update(problem=error)
