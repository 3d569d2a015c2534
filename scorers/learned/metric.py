"""A trained network as a metric."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.metrics.metric import Metric, MetricInfo, MetricSpec, Scores
from concord.metrics.registration import Option, choice
from scorers.batch import Batch
from scorers.encoder_options import encoder_versions
from scorers.encoders import Device
from scorers.errors import CheckpointError
from scorers.learned.card import CARD, CheckpointCard, describe_card
from scorers.learned.checkpoint import checkpoint_folder, current_name
from scorers.learned.features import FeatureMetrics
from scorers.learned.model import Form, LearnedModel, Scorer
from scorers.learned.rows import Combine, Row, combine_scores, make_rows
from scorers.options import text_option

_FROM_CARD = "card"


class LearnedMetric(Metric):
    """A metric whose scores come from a checkpoint; it combines those of an item's references.

    Options: `checkpoint`, the name of a shipped checkpoint or a folder written by `python -m
    scorers train`; `model`, the name or folder of its encoder, if other than the name in the card
    (the weights must be the same); `dtype`, the precision of its encoder. Scoring and the signature
    raise ModelError when there is no such checkpoint.
    """

    has_model = True
    seconds_per_comparison = 1e-2
    #: The kind of its checkpoints.
    kind: str
    #: Whether its networks give ratings from 1 to 5, otherwise shares of the scale.
    rating: bool

    def __init__(self, spec: MetricSpec, facts: MetricInfo | None = None) -> None:
        super().__init__(spec, facts)
        options = spec.options
        self._key = (self.kind, options["checkpoint"], options["model"], options["dtype"])

    @property
    def folder(self) -> Path:
        """The checkpoint's folder. Raises CheckpointError when there is none."""
        return checkpoint_folder(self.spec.options["checkpoint"])

    @property
    def card(self) -> CheckpointCard:
        """The checkpoint's card. Raises CheckpointError when it is missing or of another kind."""
        return cached_card(self.folder, self.kind)

    @property
    def checkpoint_description(self) -> str:
        """Description of the checkpoint, from its card."""
        return describe_card(self.card)

    def settings(self) -> dict[str, str]:
        card = self.card
        encoder = Path(card.encoder).name
        settings = {**super().settings(), "checkpoint": f"{card.kind}-{card.weights_sha256[:16]}"}
        settings["model"] = f"{encoder}-{card.encoder_sha256[:16]}" if encoder else "none"
        settings["features"] = FeatureMetrics(card.options.get("features", ())).signature()
        if settings["dtype"] == "float32":
            # Signatures from before the option was there stay valid.
            del settings["dtype"]
        return settings

    def versions(self) -> dict[str, str]:
        return encoder_versions()

    @property
    @abstractmethod
    def combination(self) -> Combine:
        """How the scores by several references are combined to one."""

    @abstractmethod
    def form(self, options: Mapping[str, Any]) -> Form:
        """The input form that the options of a card describe."""

    def open(self, device: Device) -> Scorer:
        """Load the checkpoint. Raises ModelError when that is impossible."""
        card, options = self.card, self.spec.options
        return LearnedModel(
            self.folder,
            card,
            self.form(card.options),
            rating=self.rating,
            device=device,
            model="" if options["model"] == _FROM_CARD else options["model"],
            precision=options["dtype"],
        )

    def compare(self, batch: Batch) -> Scores:
        comparisons = batch.comparisons
        rows = [
            row
            for i in range(len(comparisons))
            for row in make_rows(comparisons.item(i), comparisons.references[i])
        ]
        if not rows:
            return np.empty(0)
        counts = [len(references) for references in comparisons.references]
        owners = np.repeat(np.arange(len(counts)), counts)
        items = np.searchsorted(comparisons.starts, owners, side="right") - 1
        scores = self._score_rows(rows, items, batch)
        return self.convert_scores(combine_scores(scores, owners, self.combination))

    def convert_scores(self, scores: Scores) -> Scores:
        """Scores on the scale that the options ask for."""
        return scores

    def _score_rows(self, rows: Sequence[Row], items: NDArray[np.int64], batch: Batch) -> Scores:
        """The score of each row; `items[i]` is the item of row i.

        If only an item's best score counts, a row that cannot have it is not encoded, and has what
        its score is at most.
        """
        models = batch.services.models
        cached = models.learned_scores.get_many((self._key, row) for row in dict.fromkeys(rows))
        known = {Row(*row): score for (_, row), score in cached.items()}
        missing = [row for row in dict.fromkeys(rows) if row not in known]
        if not missing:
            return np.array([known[row] for row in rows])
        scorer = models.load(self._key, self.open)
        metrics = FeatureMetrics(self.card.options.get("features", ()))
        features = metrics.compute(batch.services, missing, batch.tick)
        limits = scorer.highest_scores(features) if self.combination == "max" else None
        if limits is None:
            limits = np.full(len(missing), np.inf)
        places = {row: place for place, row in enumerate(missing)}
        place = np.array([places.get(row, -1) for row in rows])
        is_scored = place < 0
        scores = np.where(is_scored, [known.get(row, np.inf) for row in rows], limits[place])
        for only_first in (True, False):
            best = np.full(items[-1] + 1, -np.inf)
            np.maximum.at(best, items[is_scored], scores[is_scored])
            waiting = np.flatnonzero(~is_scored & (scores > best[items]))
            if only_first:
                waiting = _first_of_each(items, scores, waiting)
            chosen = np.unique(place[waiting])
            if not len(chosen):
                continue
            chosen_rows = [missing[one] for one in chosen]
            new = scorer.scores(chosen_rows, features[chosen], batch.tick)
            models.learned_scores.put_many(
                ((self._key, tuple(row)), score)
                for row, score in zip(chosen_rows, new.tolist(), strict=True)
            )
            is_new = np.isin(place, chosen)
            scores[is_new] = new[np.searchsorted(chosen, place[is_new])]
            is_scored |= is_new
        return scores


def _first_of_each(
    items: NDArray[np.int64], scores: Scores, waiting: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Of the rows `waiting`, the one with the highest score of each item; all that are infinite."""
    order = waiting[np.lexsort((-scores[waiting], items[waiting]))]
    is_first = np.diff(items[order], prepend=-1) > 0
    chosen: NDArray[np.int64] = order[is_first | np.isinf(scores[order])]
    return chosen


def checkpoint_options(checkpoint: str) -> dict[str, Option]:
    """The options of every learned metric; see `LearnedMetric`."""
    option = text_option(
        current_name(checkpoint),
        help="the trained weights: a shipped checkpoint, one trained here, or a folder",
    )
    return {
        "checkpoint": replace(option, parse=lambda text: current_name(option.parse(text))),
        "model": text_option(
            _FROM_CARD, help="the encoder: a folder or hub name; card: the checkpoint's own"
        ),
        "dtype": choice("float32", "bf16", help="the precision of the encoder: float32 or bf16"),
    }


@functools.lru_cache(maxsize=64)
def _card(folder: Path, kind: str, _changed: int) -> CheckpointCard:
    card = CheckpointCard.read(folder)
    if card.kind != kind:
        raise CheckpointError(f"{folder} is a checkpoint of {card.kind!r}, not of {kind}")
    return card


def cached_card(folder: Path, kind: str) -> CheckpointCard:
    """A checkpoint's card, read again only when its file changes."""
    path = folder / CARD
    return _card(folder, kind, path.stat().st_mtime_ns if path.is_file() else 0)
