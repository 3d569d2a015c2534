"""What metrics say of a try-out: scores, signatures, words' weights.

The web process computes the quick metrics alone. METEOR's helper, encoders and google-rouge's
package take seconds to start and much memory: metrics that need them are computed by workers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import scorers
from benchmarks.runs.services import scoring, weights
from benchmarks.runs.services.asking import metrics_asked_for
from benchmarks.runs.services.weights import HeatMapRow
from benchmarks.trainings.models import Checkpoint
from benchmarks.tryouts.documents import ScoreRow
from benchmarks.tryouts.services.texts import Texts
from scorers import JavaError, Metric, ModelError

_HEAVY = frozenset({"meteor", "google-rouge-1", "google-rouge-2", "google-rouge-l"})
_WEIGHT_VIEWS = ("keyphrase", "likeness")
_NEWEST_CHECKPOINTS = 20


def chosen(named: str, user: Any) -> list[Metric]:
    """The metrics of a comma-separated list; for an empty one, every metric whose model is at hand.

    Researchers' empty list has the newest trained judges besides. Raises MetricError and ModelError
    as `metrics_asked_for` does.
    """
    if named:
        return metrics_asked_for(named)
    found = [scorers.parse_metrics(name)[0] for name in scorers.ready_names()]
    if user.is_staff:
        names = Checkpoint.objects.filter(kind__in=scorers.names()).order_by("-created_at", "-pk")
        for name in names.values_list("name", flat=True)[:_NEWEST_CHECKPOINTS]:
            found += scorers.parse_metrics(name)
    return found


def is_quick(metric: Metric) -> bool:
    """Whether the web process may compute it: it has no model, and little to load."""
    return not metric.has_model and metric.spec.base not in _HEAVY


def has_weights(metrics: Sequence[Metric]) -> bool:
    """Whether one of the metrics weighs words by KPQA's keyphrase predictor."""
    return any("predictor" in metric.spec.options for metric in metrics)


def row(metric: Metric, texts: Texts) -> ScoreRow:
    """A metric's score of one answer."""
    found: ScoreRow = {
        "metric": metric.name,
        "title": metric.title,
        "family": metric.family,
        "range": [bound if math.isfinite(bound) else None for bound in metric.range],
        "higher_is_better": metric.higher_is_better,
        "score": None,
        "signature": "",
        "threshold": None,
        "note": _why_not(metric, texts),
    }
    if found["note"]:
        return found
    try:
        score = float(scoring.session().score(metric, [texts.item()])[0])
        found["signature"] = metric.signature()
        found["threshold"] = getattr(metric, "threshold", None)
    except (JavaError, ModelError) as error:
        found["note"] = f"It cannot be computed here: {error}"
        return found
    found["score"] = score if math.isfinite(score) else None
    return found


def weights_of(texts: Texts) -> list[HeatMapRow]:
    """The heat maps of the references and the candidate as JSON; none without the models.

    There is no weight by rarity: a single answer says nothing of how rare a word is.
    """
    try:
        maps = weights.of_item(texts.item(), None, _WEIGHT_VIEWS)
    except ModelError:
        return []
    return [one.to_json() for one in maps]


def _why_not(metric: Metric, texts: Texts) -> str:
    if metric.set_dependent:
        return "Its statistics come from a whole set of references."
    missing = sorted(name for name in metric.needs if not texts.has(name))
    return f"It needs a {' and a '.join(missing)}." if missing else ""
