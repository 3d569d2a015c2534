"""Keyphrase weights (KPW) of the wordpieces of an answer (KPQA, Section 3)."""

from __future__ import annotations

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
    replace_surrogates,
    run_in_batches,
    tokenise,
    tokenise_pairs,
)
from scorers.errors import CheckpointError
from scorers.late_import import late_import
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import LoadedNetwork, checkpoint_folder

if TYPE_CHECKING:
    from scorers.learned.networks import KeyphraseNetwork

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


class KeyphrasePredictor(LoadedNetwork):
    """A trained predictor. Threads may share it; its forward passes run one after another."""

    def __init__(self, folder: Path, device: Device = "auto") -> None:
        """Load a checkpoint. Raises CheckpointError or EncoderError when that is impossible."""
        card = CheckpointCard.read(folder)
        if card.kind not in (KPQA, KP):
            raise CheckpointError(
                f"{folder} is a checkpoint of {card.kind!r}, not of a keyphrase predictor"
            )
        super().__init__(folder, card, build_network, device)
        self.uses_question = card.kind == KPQA

    def keyphrases(
        self, pairs: Sequence[tuple[str, str]], on_progress: Callable[[int], None] | None = None
    ) -> list[Keyphrases]:
        """The keyphrase weights of each (question, text); the kind KP ignores the question.

        A pair's weights depend on the pair alone, up to rounding. `on_progress(pairs so far)` is
        called after each; an exception it raises ends the work.
        """
        inputs = self._inputs(pairs)
        weights: dict[int, NDArray[np.float64]] = {}
        with self.lock:
            outputs = run_in_batches(inputs, self.network.weights, self.device, self.padding)
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
    networks = late_import("scorers.learned.networks")
    adapted = networks.add_adapters(encoder, lora_rank)
    network: KeyphraseNetwork = networks.KeyphraseNetwork(adapted, encoder.config.hidden_size)
    return network


@cache
def predictor_signature(name: str) -> str:
    """A predictor's entry in a signature: its kind and the hash of its weights."""
    card = CheckpointCard.read(checkpoint_folder(name))
    return f"{card.kind}-{card.weights_sha256[:16]}"
