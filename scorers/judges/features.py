"""Scores of metrics without training on judgments, as inputs to a judge's head.

What a judge learns from one set need not hold on another; how far a candidate's weighted words or
its embedding agree with the reference's does. A judge may therefore start from such scores and
learn only what they miss. Any metric here that looks at one pair at a time can serve.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from concord.metrics.comparisons import Comparisons
from concord.metrics.metric import Metric, MetricSpec
from concord.metrics.registration import Registration
from scorers import sentence_similarity, squad
from scorers.batch import Batch
from scorers.bertscore import metric as bertscore
from scorers.judges.rows import Row
from scorers.kpqa import metrics as kpqa
from scorers.services import Services

Features = NDArray[np.float64]

_REGISTRATIONS: Mapping[str, Registration] = MappingProxyType(
    {
        entry.name: entry
        for module in (squad, bertscore, sentence_similarity, kpqa)
        for entry in module.REGISTRATIONS
    }
)
# What the metrics hold in memory stays bounded.
_ROWS_AT_A_TIME = 2048

#: The metrics that can be features.
NAMES = tuple(_REGISTRATIONS)


class FeatureMetrics:
    """Some metrics, with their default options, as features."""

    def __init__(self, names: Sequence[str]) -> None:
        """Raises ValueError for a name that is none of NAMES, or given twice."""
        unknown = [name for name in names if name not in _REGISTRATIONS]
        if unknown or len(set(names)) < len(names):
            raise ValueError(
                f"features must be different ones of {', '.join(NAMES)}, not {', '.join(names)}"
            )
        self.names = tuple(names)
        self._metrics = [_built(_REGISTRATIONS[name]) for name in names]

    def compute(
        self,
        services: Services,
        rows: Sequence[Row],
        tick: Callable[[int], None] | None = None,
    ) -> Features:
        """The metrics' scores of each row: float64 of shape (rows, features).

        A row's features depend on nothing but the row. Raises ModelError as the metrics do.
        """
        if not self._metrics:
            return np.zeros((len(rows), 0))
        services.models.want((m.encoder, m.layers) for m in self._metrics if m.encoder)
        tokenisers = {m.tokeniser for m in self._metrics if m.tokeniser}
        found = np.empty((len(rows), len(self._metrics)))
        for start in range(0, len(rows), _ROWS_AT_A_TIME):
            part = rows[start : start + _ROWS_AT_A_TIME]
            batch = _batch(part, services, tokenisers)
            if tick:
                batch.heartbeat = lambda: tick(0)
            for column, metric in enumerate(self._metrics):
                found[start : start + len(part), column] = metric.compare(batch)
        return found

    def signature(self) -> str:
        """Sixteen hex digits that pin all that can change a feature; "none" without features.

        Raises ModelError when a model of theirs is not there.
        """
        if not self._metrics:
            return "none"
        lines = "\n".join(metric.signature() for metric in self._metrics)
        return hashlib.blake2b(lines.encode(), digest_size=8).hexdigest()


def _built(entry: Registration) -> Metric:
    options = {name: option.default for name, option in entry.options.items()}
    return entry.build(MetricSpec(entry.name, entry.name, options, "joint"))


def _batch(rows: Sequence[Row], services: Services, tokenisers: set[str]) -> Batch:
    comparisons = Comparisons(
        candidates=[row.candidate for row in rows],
        references=[(row.reference,) for row in rows],
        questions=[row.question for row in rows],
        passages=[row.passage for row in rows],
        short_answers=[row.short_answer for row in rows],
        starts=np.arange(len(rows), dtype=np.int64),
        positions=None,
    )
    texts = [text for row in rows for text in (row.candidate, row.reference)]
    tokens = {name: services.tokenise(name, texts) for name in tokenisers}
    return Batch(comparisons, services, tokens, {})
