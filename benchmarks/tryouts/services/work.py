"""Scoring a claimed try-out in a worker, metric by metric."""

from __future__ import annotations

from django.db import OperationalError
from django.utils.timezone import now

import scorers
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import requests, scores
from benchmarks.tryouts.services.texts import Texts
from core.jobs.leases import heartbeat


def perform(pk: int) -> None:
    """Score a try-out unless another worker holds it or it has ended.

    The reason of a failure is written to it; a fault of the program is raised as well.
    """
    tryout = requests.claim(pk, at=now())
    if tryout is None:
        return
    try:
        with heartbeat(tryout):
            _score(tryout)
    except OperationalError:
        raise  # the lease lapses or the task comes again
    except scorers.MetricError as error:  # a checkpoint that was deleted meanwhile
        message = str(error)
        requests.fail(tryout, f"{message[:1].upper()}{message[1:]}.", at=now())
    except Exception as error:
        requests.fail(tryout, f"{type(error).__name__}: {error}", at=now())
        raise


def _score(tryout: TryOut) -> None:
    texts = Texts.of(tryout.texts)
    metrics = [scorers.parse_metrics(name)[0] for name in tryout.metrics]
    done = {row["metric"] for row in tryout.scores}
    for metric in metrics:
        if metric.name not in done:
            tryout.scores.append(scores.row(metric, texts))
            if not requests.advance(tryout, at=now()):
                return
    if scores.has_weights(metrics):
        tryout.weights = scores.weights_of(texts)
    requests.complete(tryout, at=now())
