"""A trained judge as a metric like any other."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Option
from scorers.batch import Batch
from scorers.encoder_options import encoder_versions, text_option
from scorers.encoders import Device
from scorers.judges.describing import description_of
from scorers.judges.examples import Combine, combined
from scorers.judges.features import FeatureMetrics
from scorers.judges.judge import read_card
from scorers.judges.rows import Row, rows_of
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder, current_name

_OF_THE_CARD = "card"


class Scorer(Protocol):
    """A judge that is open: what it says of rows."""

    def scores(
        self,
        rows: Sequence[Row],
        features: NDArray[np.float64],
        done: Callable[[int], None] | None = None,
    ) -> Scores:
        """One score for each row, float64, that depends on nothing but the row."""
        ...


class JudgeMetric(Metric):
    """A metric whose scores a checkpoint gives.

    Options: `checkpoint`, a folder made by `python -m scorers train` or the name of one in the
    box; `model`, where the encoder it stands on lies, if not under the name its card gives (its
    weights must be the same). ModelError, when scores or a signature are asked for, where there
    is no such checkpoint.
    """

    has_model = True
    seconds_per_comparison = 1e-2
    #: The kind of checkpoint it opens.
    kind: str

    def __init__(self, spec: MetricSpec, facts: MetricInfo) -> None:
        super().__init__(spec, facts)
        self._key = (self.kind, spec.options["checkpoint"], spec.options["model"])

    @property
    def folder(self) -> Path:
        """The checkpoint's folder; CheckpointError where there is none."""
        return checkpoint_folder(self.spec.options["checkpoint"])

    @property
    def card(self) -> Card:
        """The checkpoint's card; CheckpointError where there is none, or of another kind."""
        return card_of(self.folder, self.kind)

    @property
    def checkpoint_description(self) -> str:
        return description_of(self.card)

    def settings(self) -> dict[str, str]:
        card = self.card
        encoder = Path(card.encoder).name
        shown = {**super().settings(), "checkpoint": f"{card.kind}-{card.weights_sha256[:16]}"}
        shown["model"] = f"{encoder}-{card.encoder_sha256[:16]}" if encoder else "none"
        shown["features"] = FeatureMetrics(card.options.get("features", ())).signature()
        return shown

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    @property
    @abstractmethod
    def own_way(self) -> Combine:
        """How the scores of several references become one."""

    @abstractmethod
    def open(self, device: Device) -> Scorer:
        """Open the checkpoint; ModelError when it cannot be."""

    def compare(self, batch: Batch) -> Scores:
        comparisons = batch.comparisons
        rows = [
            row
            for i in range(len(comparisons))
            for row in rows_of(comparisons.item(i), comparisons.references[i])
        ]
        if not rows:
            return np.empty(0)
        found = self._judged(rows, batch)
        counts = [len(references) for references in comparisons.references]
        owners = np.repeat(np.arange(len(counts)), counts)
        return self.shown(combined(np.array([found[row] for row in rows]), owners, self.own_way))

    def shown(self, scores: Scores) -> Scores:
        """The judge's scores in the form asked for."""
        return scores

    def _judged(self, rows: Sequence[Row], batch: Batch) -> dict[Row, float]:
        models = batch.services.models
        distinct = list(dict.fromkeys(rows))
        known = models.judged.get_many((self._key, row) for row in distinct)
        found = {Row(*row): score for (_, row), score in known.items()}
        missing = [row for row in distinct if row not in found]
        if not missing:
            return found
        judge = models.judge(self._key, self.open)
        features = FeatureMetrics(self.card.options.get("features", ()))
        beside = features.compute(batch.services, missing, batch.tick)
        scores = judge.scores(missing, beside, batch.tick).tolist()
        fresh = dict(zip(missing, scores, strict=True))
        models.judged.put_many(((self._key, tuple(row)), score) for row, score in fresh.items())
        return found | fresh


def judge_options(checkpoint: str) -> dict[str, Option]:
    """The options every judge has; see `JudgeMetric`."""
    named = text_option(
        current_name(checkpoint),
        help="the trained weights: a checkpoint in the box, one trained here, or a folder",
    )
    return {
        "checkpoint": replace(named, parse=lambda text: current_name(named.parse(text))),
        "model": text_option(
            _OF_THE_CARD, help="the encoder: a folder or hub name; card: the checkpoint's own"
        ),
    }


def model_of(spec: MetricSpec) -> str:
    """The name of the encoder asked for; empty for the one the card names."""
    model: str = spec.options["model"]
    return "" if model == _OF_THE_CARD else model


@functools.lru_cache(maxsize=64)
def _card(folder: Path, kind: str, _changed: int) -> Card:
    return read_card(folder, (kind,), f"checkpoint of {kind}")


def card_of(folder: Path, kind: str) -> Card:
    """A checkpoint's card, read once as long as its file is the same."""
    path = folder / "card.json"
    return _card(folder, kind, path.stat().st_mtime_ns if path.is_file() else 0)
