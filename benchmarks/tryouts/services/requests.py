"""Try-outs from request to result: asked for, claimed, scored metric by metric, ended, deleted.

Nothing here enqueues a task; callers do, with the primary keys. Every step may be taken twice, by
two processes at once: it works once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from benchmarks.sets.services.access import SetMissingError
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import scores
from benchmarks.tryouts.services.texts import Texts
from core.jobs import leases
from core.jobs.leases import MESSAGE_LOST_AFTER, MOST_TRIES, held, lease, take
from scorers import Metric

MAX_ACTIVE = 3
KEPT_FOR = timedelta(days=1)
Status = TryOut.Status


class TryOutRefusedError(Exception):
    """A try-out that cannot be scored now; the message says why."""


def quick_rows(texts: Texts, metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """The rows of the metrics that the web process computes."""
    return [scores.row(metric, texts) for metric in metrics if scores.is_quick(metric)]


def request(texts: Texts, metrics: Sequence[Metric], *, by: User, at: datetime) -> TryOut:
    """A try-out with the quick metrics' scores; complete at once where there are no others.

    Raises TryOutRefusedError while MAX_ACTIVE of the account's are being scored.
    """
    if TryOut.objects.filter(by=by, status__in=TryOut.ACTIVE).count() >= MAX_ACTIVE:
        raise TryOutRefusedError(
            f"{MAX_ACTIVE} answers of yours are still being scored. Wait for one of them."
        )
    rows = quick_rows(texts, metrics)
    done = len(rows) == len(metrics) and not scores.has_weights(metrics)
    return TryOut.objects.create(
        by=by,
        texts=texts.to_json(),
        metrics=[metric.name for metric in metrics],
        scores=rows,
        status=Status.COMPLETE if done else Status.QUEUED,
        created_at=at,
        sent_at=at,
        finished_at=at if done else None,
    )


def tryout_for(user: Any, pk: int) -> TryOut:
    """One's own try-out. Raises SetMissingError where it is not theirs or is not there."""
    found = TryOut.objects.filter(by=user.pk, pk=pk).first()
    if found is None:
        raise SetMissingError(f"You have no try-out {pk}. They are deleted after a day.")
    return found


def claim(pk: int, *, at: datetime) -> TryOut | None:
    """Take the lease; None when it is held or ended. One whose workers died thrice fails."""
    if not take(TryOut.objects.filter(pk=pk), at=at):
        return None
    tryout = TryOut.objects.get(pk=pk)
    if tryout.tries > MOST_TRIES:
        fail(tryout, f"Its worker died {MOST_TRIES} times; see the worker's log.", at=at)
        return None
    return tryout


def advance(tryout: TryOut, *, at: datetime) -> bool:
    """Store the scores so far and prolong the lease; False when it is another worker's or gone."""
    return bool(held(tryout).update(scores=tryout.scores, lease_until=at + lease()))


def complete(tryout: TryOut, *, at: datetime) -> bool:
    """Store the weights and end it, unless another worker took over."""
    return bool(
        held(tryout).update(
            status=Status.COMPLETE, weights=tryout.weights, lease_until=None, finished_at=at
        )
    )


def fail(tryout: TryOut, reason: str, *, at: datetime) -> None:
    """End it with a reason that a person can read; the scores so far stay."""
    held(tryout).update(status=Status.FAILED, reason=reason, lease_until=None, finished_at=at)


def stale(*, at: datetime, unclaimed_for: timedelta = MESSAGE_LOST_AFTER) -> list[int]:
    """Those to send again, which the caller is taken to do: lapsed, or sent and never taken."""
    return leases.stale(TryOut.objects.all(), at=at, unclaimed_for=unclaimed_for)


def delete_old(*, at: datetime) -> int:
    """Delete those asked for more than KEPT_FOR ago; how many."""
    return TryOut.objects.filter(created_at__lt=at - KEPT_FOR).delete()[0]
