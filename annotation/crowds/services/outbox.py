"""The outbox: calls to providers, each written down before it is made.

A call is claimed in a transaction of its own (SKIP LOCKED, a lease, an attempt number), made, and
its outcome written with what follows from it in a second one. Killed in between, the lease lapses
and the call is made again with the same token; a late finisher finds its attempt number gone.
"""

from __future__ import annotations

import random
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
    Order,
    Provider,
)
from annotation.crowds.services import deeds
from annotation.crowds.services.orders import order_of, provider_of

Status = CrowdCall.Status
UNFINISHED = (Status.WAITING, Status.STARTED)
BLOCKING = (*UNFINISHED, Status.FAILED)
LEASE = timedelta(seconds=90)  # longer than the longest request with its timeouts


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait when asked to: doubled each time in a row, half of it by chance, so that
    several processes do not come back together. After `patience` seconds another run goes on."""

    first: float = 0.5
    longest: float = 60.0
    patience: float = 300.0

    def delay(self, in_a_row: int) -> float:
        most = min(self.longest, self.first * 2.0 ** min(in_a_row - 1, 30))
        return most * random.uniform(0.5, 1.0)


@dataclass(slots=True)
class Run:
    """What a run did. `left`: calls that wait still; `problem`: why a person must see to it."""

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
    pace: Pace | None = None,
    told: Callable[[Run], None] = lambda _: None,
) -> Run:
    """Make the publication's calls until none is left that can be made now."""
    provider = provider or provider_of(publication)
    pace = pace or Pace()
    found, in_a_row, started = Run(), 0, time.monotonic()
    order: Order | None = None
    while True:
        call = claim(publication, at=clock())
        if call is None:
            until = _next_time(publication)
            wait = (until - clock()).total_seconds() if until else 0
            if until is None or wait > pace.longest:
                break
            sleep(max(wait, 0.01))
            continue
        try:
            order = order or order_of(publication)
            result = deeds.perform(call, provider, order, at=clock())
        except CrowdBusyError as error:
            in_a_row += 1
            found.waits += 1
            delay = pace.delay(in_a_row)
            postpone(call, str(error), clock() + timedelta(seconds=delay))
            if time.monotonic() - started > pace.patience and in_a_row > 1:
                break
            sleep(delay)  # the limit is the account's: no other call would fare better
        except AccountError as error:
            give_up(call, str(error))
            found.problem = str(error)
            break
        except CrowdError as error:
            found.failed += fail(call, str(error), at=clock())
            if call.rank < deeds.LISTING_RANK:
                found.problem = str(error)
                break
        else:
            in_a_row = 0
            found.done += finish(call, result, at=clock())
        told(found)
    found.left = unfinished(publication).count()
    return found


def claim(publication: Publication, *, at: datetime) -> CrowdCall | None:
    """Take the lease on the next call that can be made; None when there is none now."""
    # Only preparations hold others up: a listing that was refused is no reason not to pay.
    lower = CrowdCall.objects.filter(
        publication=publication,
        rank__lt=Least(OuterRef("rank"), deeds.LISTING_RANK),
        status__in=BLOCKING,
    )
    free = Q(status=Status.WAITING) & (Q(not_before=None) | Q(not_before__lte=at))
    lapsed = Q(status=Status.STARTED, lease_until__lte=at)
    with transaction.atomic():
        call = (
            CrowdCall.objects.select_for_update(skip_locked=True, of=("self",))
            .filter(free | lapsed, ~Exists(lower), publication=publication)
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
    """Write down that a call is done, and what follows from it; False for a late finisher."""
    with transaction.atomic():
        mine = call.held.update(
            status=Status.DONE, result=result, error="", lease_until=None, done_at=at
        )
        if mine:
            deeds.apply(call, result, at=at)
    return bool(mine)


def fail(call: CrowdCall, error: str, *, at: datetime) -> bool:
    """The provider refused for good; a person may have it tried again."""
    mine = call.held.update(status=Status.FAILED, error=error, lease_until=None, done_at=at)
    if mine and call.rank < deeds.LISTING_RANK:
        _tell(call, error)
    return bool(mine)


def postpone(call: CrowdCall, error: str, until: datetime) -> None:
    call.held.update(status=Status.WAITING, error=error, lease_until=None, not_before=until)


def give_up(call: CrowdCall, error: str) -> None:
    """The account cannot be used: the call waits, as do all, until a person has seen to it."""
    if call.held.update(status=Status.WAITING, error=error, lease_until=None, not_before=None):
        _tell(call, error)


def try_again(publication: Publication) -> int:
    """Have every call that failed made again; how many. A person asks for it."""
    Publication.objects.filter(pk=publication.pk).update(problem="")
    failed = CrowdCall.objects.filter(publication=publication, status=Status.FAILED)
    return failed.update(status=Status.WAITING, not_before=None)


def unfinished(publication: Publication) -> QuerySet[CrowdCall]:
    return CrowdCall.objects.filter(publication=publication, status__in=UNFINISHED)


def _tell(call: CrowdCall, error: str) -> None:
    Publication.objects.filter(pk=call.publication_id).update(problem=error)


def _next_time(publication: Publication) -> datetime | None:
    """When the next postponed call may be made; None where no call waits for its time."""
    waiting = unfinished(publication).filter(status=Status.WAITING, not_before__isnull=False)
    first = waiting.order_by(F("not_before").asc()).first()
    return first.not_before if first else None
