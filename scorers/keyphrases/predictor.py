"""Keyphrase weights (KPW) of the wordpieces of an answer (KPQA, Section 3)."""

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
    prepare_for_inference,
    replace_surrogates,
    run_in_batches,
    tokenise,
    tokenise_pairs,
)
from scorers.errors import CheckpointError
from scorers.late_import import late_import
from scorers.learned.adapters import add_adapters, merge_adapters
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, load_weights

if TYPE_CHECKING:
    from scorers.keyphrases.network import KeyphraseNetwork

#: The kinds of checkpoint: with and without the question in the input.
KPQA, KP = "kpqa", "kp"


@dataclass(frozen=True, slots=True)
class Keyphrases:
    """A text's wordpieces with their keyphrase weights.

    pieces: the wordpieces in the tokeniser's notation ("##s" continues a word). words: the index of
    each wordpiece's word. spans: its (start, end) in the characters of `text`. weights: the
    probability that it belongs to a keyphrase, float64 between 0 and 1. Only the beginning of a
    text longer than the predictor's limit has wordpieces.
    """

    text: str
    pieces: tuple[str, ...]
    words: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    weights: NDArray[np.float64]

    def weights_of(self, spans: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
        """The mean weight of the characters of each span of the text.

        Spans beyond the predictor's limit are left out.
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
    """A trained predictor. Threads may share it; its forward passes run one after another."""

    def __init__(self, folder: Path, device: Device = "auto") -> None:
        """Load a checkpoint. Raises CheckpointError or EncoderError when that is impossible."""
        self.card = CheckpointCard.read(folder)
        if self.card.kind not in (KPQA, KP):
            raise CheckpointError(
                f"{folder} is a checkpoint of {self.card.kind!r}, not of a keyphrase predictor"
            )
        self.device = choose_device(device)
        self.uses_question = self.card.kind == KPQA
        self.max_tokens = int(self.card.settings["max_tokens"])
        encoder_files = locate(self.card.encoder)
        if encoder_files.sha256 != self.card.encoder_sha256:
            raise CheckpointError(
                f"{folder} was trained on another {self.card.encoder}: its weights had the SHA-256 "
                f"{self.card.encoder_sha256}, these have {encoder_files.sha256}"
            )
        self.tokeniser, encoder = open_model(encoder_files)
        network = build_network(encoder, int(self.card.settings["lora_rank"]))
        load_weights(network, folder, self.card)
        if self.card.settings["lora_rank"]:
            network.encoder = merge_adapters(network.encoder)
        self._network = prepare_for_inference(network, self.device)
        self._lock = threading.Lock()

    def keyphrases(
        self, pairs: Sequence[tuple[str, str]], on_progress: Callable[[int], None] | None = None
    ) -> list[Keyphrases]:
        """The keyphrase weights of each (question, text); the kind KP ignores the question.

        A pair's weights depend on the pair alone, up to rounding. `done(pairs so far)` is
        called after each; an exception it raises ends the work.
        """
        inputs = self._inputs(pairs)
        weights: dict[int, NDArray[np.float64]] = {}
        with self._lock:
            outputs = run_in_batches(
                inputs, self._network.weights, self.device, self.tokeniser.pad_token_id or 0
            )
            for count, (index, output) in enumerate(outputs, 1):
                row = inputs[index]
                weights[index] = output[row.start : row.end].astype(np.float64)
                if on_progress:
                    on_progress(count)
        return [
            self._to_keyphrases(text, row, weights[index])
            for index, ((_, text), row) in enumerate(zip(pairs, inputs, strict=True))
        ]

    def _inputs(self, pairs: Sequence[tuple[str, str]]) -> list[Pieces]:
        if self.uses_question:
            return tokenise_pairs(self.tokeniser, pairs, self.max_tokens)
        return tokenise(self.tokeniser, [text for _, text in pairs], self.max_tokens)

    def _to_keyphrases(self, text: str, row: Pieces, weights: NDArray[np.float64]) -> Keyphrases:
        pieces = self.tokeniser.convert_ids_to_tokens(row.ids[row.start : row.end])
        return Keyphrases(
            replace_surrogates(text), tuple(pieces), tuple(row.words), tuple(row.spans), weights
        )


def build_network(encoder: Any, lora_rank: int) -> KeyphraseNetwork:
    """An untrained predictor on an encoder, with adapters if the rank is above 0."""
    width: int = encoder.config.hidden_size
    if lora_rank:
        encoder = add_adapters(encoder, lora_rank)
    network: KeyphraseNetwork = late_import("scorers.keyphrases.network", "KeyphraseNetwork")(
        encoder, width
    )
    return network


@cache
def predictor_signature(name: str) -> str:
    """A predictor's entry in a signature: its kind and the hash of its weights."""
    card = CheckpointCard.read(checkpoint_folder(name))
    return f"{card.kind}-{card.weights_sha256[:16]}"
