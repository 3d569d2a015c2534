"""KPW: how much each wordpiece of an answer matters to its question (KPQA, Section 3)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scorers.encoders import (
    Device,
    Pieces,
    choose_device,
    locate,
    open_model,
    replace_surrogates,
    run_in_batches,
    tokenise,
    tokenise_pairs,
)
from scorers.errors import CheckpointError
from scorers.late_import import late_import
from scorers.learned.adapters import add_adapters, merge_adapters
from scorers.learned.card import Card
from scorers.learned.checkpoint import checkpoint_folder, load_weights

if TYPE_CHECKING:
    from scorers.keyphrases.network import KeyphraseNetwork

#: The kinds of checkpoint: weights that depend on the question, and weights that cannot.
KPQA, KP = "kpqa", "kp"


@dataclass(frozen=True, slots=True)
class Keyphrases:
    """A text's wordpieces with their weights.

    `pieces` are the wordpieces as the tokeniser names them ("##s" continues a word), `words` the
    number of the word each is cut from, `spans` its place in `text` in characters, `weights` the
    predictor's probability that it belongs to a keyphrase: above 0, below 1, float64. A text
    longer than the predictor reads has them for its beginning.
    """

    text: str
    pieces: tuple[str, ...]
    words: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    weights: NDArray[np.float64]

    def weights_of(self, spans: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """The mean weight of the characters of each of some spans of the text.

        Spans beyond what the predictor read are left out.
        """
        if not self.spans:
            return np.zeros(0)
        last = self.spans[-1][1]
        characters = np.zeros(last)
        for (start, end), weight in zip(self.spans, self.weights.tolist(), strict=True):
            characters[start:end] = weight
        sums = np.concatenate(([0.0], np.cumsum(characters)))
        return np.array(
            [(sums[end] - sums[start]) / max(1, end - start) for start, end in spans if end <= last]
        )


class KeyphrasePredictor:
    """A trained predictor. Threads may share one; its passes run one after another."""

    def __init__(self, folder: Path, device: Device = "auto") -> None:
        """Load a checkpoint; CheckpointError or EncoderError when it cannot be."""
        self.card = Card.read(folder)
        if self.card.kind not in (KPQA, KP):
            raise CheckpointError(f"{folder} holds a {self.card.kind!r}, no keyphrase predictor")
        self.device = choose_device(device)
        self.asks = self.card.kind == KPQA
        self.max_tokens = int(self.card.settings["max_tokens"])
        located = locate(self.card.encoder)
        if located.sha256 != self.card.encoder_sha256:
            raise CheckpointError(
                f"{folder} was trained on another {self.card.encoder}: its weights had the SHA-256 "
                f"{self.card.encoder_sha256}, these have {located.sha256}"
            )
        self.tokeniser, encoder = open_model(located)
        network = build_network(encoder, int(self.card.settings["lora_rank"]))
        load_weights(network, folder, self.card)
        if self.card.settings["lora_rank"]:
            network.encoder = merge_adapters(network.encoder)
        self._network = network.to(self.device).eval()
        self._lock = threading.Lock()

    def keyphrases(
        self, pairs: Sequence[tuple[str, str]], on_progress: Callable[[int], None] | None = None
    ) -> list[Keyphrases]:
        """The weights of each (question, text); a predictor of kind KP ignores the question.

        A pair's weights depend on nothing but the pair, up to rounding. `done(pairs so far)` is
        called after each; an exception it raises ends the work.
        """
        inputs = self._inputs(pairs)
        weights: dict[int, NDArray[np.float64]] = {}
        with self._lock:
            outputs = run_in_batches(
                inputs, self._network.weights, self.device, self.tokeniser.pad_token_id or 0
            )
            for count, (place, output) in enumerate(outputs, 1):
                row = inputs[place]
                weights[place] = output[row.start : row.end].astype(np.float64)
                if on_progress:
                    on_progress(count)
        return [
            self._named(text, row, weights[place])
            for place, ((_, text), row) in enumerate(zip(pairs, inputs, strict=True))
        ]

    def _inputs(self, pairs: Sequence[tuple[str, str]]) -> list[Pieces]:
        if self.asks:
            return tokenise_pairs(self.tokeniser, pairs, self.max_tokens)
        return tokenise(self.tokeniser, [text for _, text in pairs], self.max_tokens)

    def _named(self, text: str, row: Pieces, weights: NDArray[np.float64]) -> Keyphrases:
        pieces = self.tokeniser.convert_ids_to_tokens(row.ids[row.start : row.end])
        return Keyphrases(
            replace_surrogates(text), tuple(pieces), tuple(row.words), tuple(row.spans), weights
        )


def build_network(encoder: Any, lora_rank: int) -> KeyphraseNetwork:
    """An untrained predictor on an encoder, with adapters where the rank is above 0."""
    width: int = encoder.config.hidden_size
    if lora_rank:
        encoder = add_adapters(encoder, lora_rank)
    network: KeyphraseNetwork = late_import("scorers.keyphrases.network", "KeyphraseNetwork")(
        encoder, width
    )
    return network


@cache
def predictor_signature(name: str) -> str:
    """What pins a predictor in a score's signature: its kind, and a hash of its weights."""
    card = Card.read(checkpoint_folder(name))
    return f"{card.kind}-{card.weights_sha256[:16]}"
