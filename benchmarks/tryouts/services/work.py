"""Scoring a claimed try-out in a worker, one metric after the other."""

from __future__ import annotations

from django.utils.timezone import now

import scorers
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import scores
from benchmarks.tryouts.services.texts import TryOutTexts
from core.jobs import performing


def perform(pk: int) -> None:
    """Score a try-out, unless another worker has it or it has ended."""
    tryout = TryOut.claim(pk, at=now())
    if tryout is not None:  # MetricError: a checkpoint may be deleted since the request
        performing.perform(tryout, lambda: _score(tryout), expected_errors=(scorers.MetricError,))


def _score(tryout: TryOut) -> None:
    texts = TryOutTexts.from_values(tryout.texts)
    metrics = [scorers.parse_metrics(name)[0] for name in tryout.metrics]
    scored = {row["metric"] for row in tryout.scores}
    for metric in metrics:
        if metric.name not in scored:
            tryout.scores.append(scores.score_row(metric, texts))
            if not tryout.advance(at=now(), scores=tryout.scores):
                return
    if scores.has_weights(metrics):
        tryout.weights = scores.word_weights(texts)
    tryout.complete(at=now(), weights=tryout.weights)
