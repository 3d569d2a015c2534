"""Asking for try-outs, finding one's own, and deleting old ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from benchmarks.sets.services.access import SetMissingError
from benchmarks.tryouts.documents import ScoreRow
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import scores
from benchmarks.tryouts.services.texts import Texts
from scorers import Metric

MAX_ACTIVE = 3
KEPT_FOR = timedelta(days=1)
Status = TryOut.Status


class TryOutRefusedError(Exception):
    """A try-out that cannot be scored now; the message says why."""


def quick_rows(texts: Texts, metrics: Sequence[Metric]) -> list[ScoreRow]:
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


def delete_old(*, at: datetime) -> int:
    """Delete those asked for more than KEPT_FOR ago; how many."""
    return TryOut.objects.filter(created_at__lt=at - KEPT_FOR).delete()[0]
