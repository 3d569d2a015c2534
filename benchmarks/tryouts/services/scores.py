"""Scores, signatures and word weights of a try-out, and the work that stores them.

The web process computes only the quick metrics. METEOR's helper, encoders and google-rouge's
package take seconds to start and much memory, so workers compute the metrics that need them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from django.utils.timezone import now

import scorers
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.runs.services import scoring
from benchmarks.runs.services.requested_metrics import parse_requested_metrics
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services.heat_maps import HeatMapRow, heat_maps
from benchmarks.tryouts.services.texts import TryOutTexts
from concord.documents.tryouts import ScoreDocument
from core.accounts.roles import SiteUser
from core.jobs.kinds import JobKind
from scorers import JavaError, Metric, ModelError

_HEAVY = frozenset({"meteor", "google-rouge-1", "google-rouge-2", "google-rouge-l"})
_MAX_CHECKPOINTS = 20


def select_metrics(names: str, user: SiteUser) -> list[Metric]:
    """The metrics of a comma-separated list; for an empty one, all that have their models.

    For researchers these include the newest trained judges. Raises MetricError and ModelError as
    `parse_requested_metrics` does.
    """
    if names:
        return parse_requested_metrics(names)
    metrics = [scorers.parse_metrics(name)[0] for name in scorers.ready_names()]
    if user.is_staff:
        judges = Checkpoint.objects.filter(kind__in=scorers.names()).order_by("-created_at", "-pk")
        for name in judges.values_list("name", flat=True)[:_MAX_CHECKPOINTS]:
            metrics += scorers.parse_metrics(name)
    return metrics


def is_quick(metric: Metric) -> bool:
    """Whether the web process computes the metric: it has no model and little to load."""
    return not metric.has_model and metric.spec.base not in _HEAVY


def has_weights(metrics: Sequence[Metric]) -> bool:
    """Whether one of the metrics uses KPQA's keyphrase predictor, which weights words."""
    return any("predictor" in metric.spec.options for metric in metrics)


def score_row(metric: Metric, texts: TryOutTexts) -> ScoreDocument:
    """A metric's score of one answer."""
    row: ScoreDocument = {
        "metric": metric.name,
        "title": metric.title,
        "family": metric.family,
        "range": [bound if math.isfinite(bound) else None for bound in metric.range],
        "higher_is_better": metric.higher_is_better,
        "score": None,
        "signature": "",
        "threshold": None,
        "note": _missing_input(metric, texts),
    }
    if row["note"]:
        return row
    try:
        score = float(scoring.session().score(metric, [texts.item()])[0])
        row["signature"] = metric.signature()
        row["threshold"] = getattr(metric, "threshold", None)
    except (JavaError, ModelError) as error:
        row["note"] = f"It cannot be computed here: {error}"
        return row
    row["score"] = score if math.isfinite(score) else None
    return row


def word_weights(texts: TryOutTexts) -> list[HeatMapRow]:
    """The heat maps of references and candidate as JSON; [] if the models are not available."""
    try:
        maps = heat_maps(texts.item())
    except ModelError:
        return []
    return [heat_map.to_json() for heat_map in maps]


def _missing_input(metric: Metric, texts: TryOutTexts) -> str:
    """Why the metric cannot score the answer, or ""."""
    if metric.set_dependent:
        return "Its statistics come from a whole set of references."
    missing = sorted(name for name in metric.needs if not texts.has(name))
    return f"It needs a {' and a '.join(missing)}." if missing else ""


def _score(tryout: TryOut) -> None:
    texts = TryOutTexts.from_values(tryout.texts)
    metrics = [scorers.parse_metrics(name)[0] for name in tryout.metrics]
    scored = {row["metric"] for row in tryout.scores}
    for metric in metrics:
        if metric.name not in scored:
            tryout.scores.append(score_row(metric, texts))
            if not tryout.advance(at=now(), done=len(tryout.scores), result=tryout.result):
                return
    if has_weights(metrics):
        tryout.result["weights"] = word_weights(texts)
    tryout.complete(at=now(), result=tryout.result)


# MetricError: a checkpoint may be deleted since the request.
TRY_OUTS = JobKind(TryOut, _score, expected_errors=(scorers.MetricError,))
