"""Scores of metrics that were not trained on judgments, as inputs to the head of a learned metric.

What a metric learns from one set may not hold on another set, but such metrics work on any set. A
learned metric can therefore start from their scores and learn only a correction. Every metric here
that scores one pair at a time can be a feature.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Item
from concord.metrics.metric import Metric, MetricSpec
from concord.metrics.registration import Registration
from scorers import sentence_similarity, squad
from scorers.batch import ITEMS_PER_BATCH, Batch, Services
from scorers.bertscore import metric as bertscore
from scorers.kpqa import metrics as kpqa
from scorers.learned.rows import Row

Features = NDArray[np.float64]

_REGISTRATIONS: Mapping[str, Registration] = MappingProxyType(
    {
        entry.name: entry
        for module in (squad, bertscore, sentence_similarity, kpqa)
        for entry in module.REGISTRATIONS
    }
)
#: The metrics that can be features.
NAMES = tuple(_REGISTRATIONS)


class FeatureMetrics:
    """Some metrics, with their default options, as features."""

    def __init__(self, names: Sequence[str]) -> None:
        """Raises ValueError for a name that is not in NAMES or is repeated."""
        unknown = [name for name in names if name not in _REGISTRATIONS]
        if unknown or len(set(names)) < len(names):
            raise ValueError(
                f"features must be different metrics of {', '.join(NAMES)}, not {', '.join(names)}"
            )
        self.names = tuple(names)
        self._metrics = [_build_metric(_REGISTRATIONS[name]) for name in names]

    def compute(
        self,
        services: Services,
        rows: Sequence[Row],
        tick: Callable[[int], None] | None = None,
    ) -> Features:
        """The metrics' scores of each row: float64 of shape (rows, features).

        A row's features depend on the row alone. Raises ModelError as the metrics do.
        """
        if not self._metrics:
            return np.zeros((len(rows), 0))
        services.models.request_layers((m.encoder, m.layers) for m in self._metrics if m.encoder)
        features = np.empty((len(rows), len(self._metrics)))
        for start in range(0, len(rows), ITEMS_PER_BATCH):
            part = rows[start : start + ITEMS_PER_BATCH]
            items = [Item(r.candidate, (r.reference,), r.question, r.passage) for r in part]
            batch = Batch.of(items, services)
            if tick:
                batch.heartbeat = lambda: tick(0)
            for column, metric in enumerate(self._metrics):
                features[start : start + len(part), column] = metric.compare(batch)
        return features

    def signature(self) -> str:
        """Sixteen hex digits: a hash of the metrics' signatures; "none" without features.

        Raises ModelError when a metric's model is missing.
        """
        if not self._metrics:
            return "none"
        lines = "\n".join(metric.signature() for metric in self._metrics)
        return hashlib.blake2b(lines.encode(), digest_size=8).hexdigest()


def _build_metric(entry: Registration) -> Metric:
    options = {name: option.default for name, option in entry.options.items()}
    return entry.build(MetricSpec(entry.name, entry.name, options, "joint"))
