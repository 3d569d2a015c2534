"""The outbox: calls to providers, each stored before it is made.

One transaction claims a call (SKIP LOCKED, a lease, an attempt number), the call is made, and a
second transaction stores the outcome and its consequences. If the process dies in between, the
lease expires and the call is made again with the same token. A process that finishes late finds
another attempt number and changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
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

Status = CrowdCall.Status
UNFINISHED = (Status.WAITING, Status.STARTED)
BLOCKING = (*UNFINISHED, Status.FAILED)
LEASE = timedelta(seconds=90)  # longer than the longest request, timeouts included


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays in seconds after a provider was busy.

    first_delay, max_delay: see `retry_pause`. After `max_wait` the run ends, and a later run
    continues.
    """

    first_delay: float = 0.5
    max_delay: float = 60.0
    max_wait: float = 300.0

    def delay(self, in_a_row: int) -> float:
        return retry_pause(in_a_row, first=self.first_delay, longest=self.max_delay)


@dataclass(slots=True)
class OutboxResult:
    """The result of a run. `left` counts calls that still wait; `problem` says why a person must
    act."""

    done: int = 0
    failed: int = 0
    waits: int = 0
    left: int = 0
    problem: str = ""


def run(
    publication: Publication,
    *,
    provider: Provider | None = None,
    clock: Callable[[], datetime] = timezone.now,
    sleep: Callable[[float], None] = time.sleep,
    backoff: Backoff | None = None,
    on_progress: Callable[[OutboxResult], None] = lambda _: None,
) -> OutboxResult:
    """Make the publication's calls until no more can be made now."""
    provider = provider or provider_of(publication)
    backoff = backoff or Backoff()
    result, busy_in_a_row, started = OutboxResult(), 0, time.monotonic()
    spec: PublicationSpec | None = None
    while True:
        call = claim(publication, at=clock())
        if call is None:
            until = _next_time(publication)
            wait = (until - clock()).total_seconds() if until else 0
            if until is None or wait > backoff.max_delay:
                break
            sleep(max(wait, 0.01))
            continue
        try:
            spec = spec or spec_of(publication)
            outcome = call_handlers.perform(call, provider, spec, at=clock())
        except CrowdBusyError as error:
            busy_in_a_row += 1
            result.waits += 1
            delay = backoff.delay(busy_in_a_row)
            postpone(call, str(error), clock() + timedelta(seconds=delay))
            if time.monotonic() - started > backoff.max_wait and busy_in_a_row > 1:
                break
            sleep(delay)  # the limit holds for the account: another call would be refused too
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
            busy_in_a_row = 0
            result.done += finish(call, outcome, at=clock())
        on_progress(result)
    result.left = unfinished(publication).count()
    return result


def claim(publication: Publication, *, at: datetime) -> CrowdCall | None:
    """Take the lease on the next call that can be made now; None if there is none."""
    # Only preparations block other calls: a refused listing does not block payments.
    blocking = CrowdCall.objects.filter(
        publication=publication,
        rank__lt=Least(OuterRef("rank"), call_handlers.LISTING_RANK),
        status__in=BLOCKING,
    )
    free = Q(status=Status.WAITING) & (Q(not_before=None) | Q(not_before__lte=at))
    lapsed = Q(status=Status.STARTED, lease_until__lte=at)
    with transaction.atomic():
        call = (
            CrowdCall.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(free | lapsed, ~Exists(blocking), publication=publication)
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
    call.held.update(status=Status.WAITING, error=error, lease_until=None, not_before=until)


def suspend(call: CrowdCall, error: str) -> None:
    """Return the call to the outbox and pause the publication: its account cannot be used."""
    if call.held.update(status=Status.WAITING, error=error, lease_until=None, not_before=None):
        _set_problem(call, error)


def retry_failed(publication: Publication) -> int:
    """Queue every failed call again at a person's request; returns how many."""
    Publication.objects.filter(pk=publication.pk).update(problem="")
    failed = CrowdCall.objects.filter(publication=publication, status=Status.FAILED)
    return failed.update(status=Status.WAITING, not_before=None)


def unfinished(publication: Publication) -> QuerySet[CrowdCall]:
    return CrowdCall.objects.filter(publication=publication, status__in=UNFINISHED)


def _set_problem(call: CrowdCall, error: str) -> None:
    Publication.objects.filter(pk=call.publication_id).update(problem=error)


def _next_time(publication: Publication) -> datetime | None:
    """When the next postponed call may be made; None if no call is postponed."""
    waiting = unfinished(publication).filter(status=Status.WAITING, not_before__isnull=False)
    first = waiting.order_by(F("not_before").asc()).first()
    return first.not_before if first else None
