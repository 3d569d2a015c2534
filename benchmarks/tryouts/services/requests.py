"""Requesting, fetching and deleting try-outs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import scores
from benchmarks.tryouts.services.texts import TryOutTexts
from concord.documents.tryouts import ScoreDocument
from core.accounts.roles import SiteUser
from core.refusals import RefusedError
from scorers import Metric

MAX_ACTIVE = 3
RETENTION = timedelta(days=1)
Status = TryOut.Status


def quick_rows(texts: TryOutTexts, metrics: Sequence[Metric]) -> list[ScoreDocument]:
    """The scores of the metrics that the web process computes."""
    return [scores.score_row(metric, texts) for metric in metrics if scores.is_quick(metric)]


def request(texts: TryOutTexts, metrics: Sequence[Metric], *, by: User, at: datetime) -> TryOut:
    """Store a try-out with the scores of the quick metrics; it is complete if there are no others.

    Raises RefusedError if the account has MAX_ACTIVE active try-outs.
    """
    if TryOut.objects.filter(by=by, status__in=TryOut.ACTIVE).count() >= MAX_ACTIVE:
        raise RefusedError(
            f"{MAX_ACTIVE} of your answers are still being scored. Wait until one is complete.",
            "too-many-tryouts",
        )
    rows = quick_rows(texts, metrics)
    is_complete = len(rows) == len(metrics) and not scores.has_weights(metrics)
    return TryOut.objects.create(
        by=by,
        parameters={"texts": texts.to_json(), "metrics": [metric.name for metric in metrics]},
        done=len(rows),
        total=len(metrics),
        result={"scores": rows},
        status=Status.COMPLETE if is_complete else Status.QUEUED,
        created_at=at,
        sent_at=at,
        finished_at=at if is_complete else None,
    )


def tryout_for(user: SiteUser, pk: int) -> TryOut:
    """A try-out of the user. Raises RefusedError."""
    tryout = TryOut.objects.filter(by=user.pk, pk=pk).first()
    if tryout is None:
        raise RefusedError(
            f"You have no try-out {pk}. Try-outs are deleted after a day.", "not-found"
        )
    return tryout


def delete_old(*, at: datetime) -> int:
    """Delete try-outs older than RETENTION. Returns their number."""
    return TryOut.objects.filter(created_at__lt=at - RETENTION).delete()[0]
