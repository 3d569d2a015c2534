"""The models of a session, and caches of their outputs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from concord.metrics.items import Corpus
from concord.metrics.metric import EncoderKey
from scorers.caches import LRU, Once, renew_after_fork
from scorers.encoders import Device, Encoder, choose_device, load_encoder

if TYPE_CHECKING:
    from scorers.bertscore.matching import InverseFrequencies
    from scorers.keyphrases.predictor import KeyphrasePredictor, Keyphrases

# Sizes of the caches: bytes of hidden states, characters of keyphrases and of scored texts.
_STATES_CAPACITY = 1_000_000_000
_KEYPHRASES_CAPACITY = 32_000_000
_LEARNED_SCORES_CAPACITY = 64_000_000
_MAX_CORPORA = 8

OnProgress = Callable[[int], None]
Loaded = TypeVar("Loaded")


@dataclass(frozen=True, slots=True)
class States:
    """A text's hidden states: float32 of shape (layers, tokens, width), special tokens included.

    `layers` are the layers along the first axis. `ids` are the tokens; those of the text are
    `ids[start:end]`, and `spans` are their (start, end) characters in the text.
    """

    layers: tuple[int, ...]
    values: NDArray[np.float32]
    ids: tuple[int, ...]
    start: int
    end: int
    spans: tuple[tuple[int, int], ...]

    def at(self, layer: int) -> NDArray[np.float32]:
        """One layer's states, of shape (tokens, width)."""
        states: NDArray[np.float32] = self.values[self.layers.index(layer)]
        return states


class Models:
    """Loads each model once, and computes each text once while the caches hold its result.

    All methods are thread-safe.
    """

    def __init__(self, device: Device = "auto") -> None:
        self._device = device
        self._lock = threading.RLock()
        self._encoders = Once[EncoderKey, Encoder](fork_safe=False)
        self._networks = Once[tuple[str, ...], Any](fork_safe=False)
        self._frequencies = Once[tuple[str, str], "InverseFrequencies"](_MAX_CORPORA)
        self._requested_layers: dict[EncoderKey, frozenset[int]] = {}
        self._states = LRU[tuple[EncoderKey, str], States](
            _STATES_CAPACITY, lambda key, states: states.values.nbytes + len(key[1])
        )
        self._keyphrases = LRU[tuple[str, str, str], "Keyphrases"](
            _KEYPHRASES_CAPACITY, lambda key, value: len(key[1]) + 20 * len(key[2])
        )
        self.learned_scores = LRU[tuple[tuple[str, ...], tuple[str, ...]], float](
            _LEARNED_SCORES_CAPACITY, lambda key, score: sum(map(len, key[1])) + 100
        )
        renew_after_fork(self)

    def after_fork(self) -> None:
        """Use a new lock in a forked child."""
        self._lock = threading.RLock()

    @property
    def device(self) -> str:
        """The kind of device the models run on: "cpu" or "cuda"."""
        return choose_device(self._device).type

    def request_layers(self, needs: Iterable[tuple[EncoderKey, Iterable[int]]]) -> None:
        """Announce the layers of later calls, so that one pass over a text computes them all."""
        with self._lock:
            for key, layers in needs:
                self._requested_layers[key] = self._requested_layers.get(
                    key, frozenset()
                ) | frozenset(layers)

    def encoder(self, key: EncoderKey) -> Encoder:
        """An encoder, loaded at the first call. Raises EncoderError when that is impossible."""
        name, precision = key
        return self._encoders.get(key, lambda: load_encoder(name, self._device, precision))

    def states(
        self,
        key: EncoderKey,
        layers: Iterable[int],
        texts: Iterable[str],
        on_progress: OnProgress | None = None,
    ) -> Mapping[str, States]:
        """The hidden states of each distinct text at these layers, and possibly at others."""
        requested = frozenset(layers)
        distinct = list(dict.fromkeys(texts))
        cached = self._states.get_many((key, text) for text in distinct)
        states = {
            text: entry
            for (_, text), entry in cached.items()
            if requested <= frozenset(entry.layers)
        }
        missing = [text for text in distinct if text not in states]
        if missing:
            encoder = self.encoder(key)
            with self._lock:
                computed_layers = tuple(
                    sorted(requested | self._requested_layers.get(key, frozenset()))
                )
            inputs = encoder.tokenise(missing)
            outputs = encoder.encode(inputs, computed_layers, on_progress)
            computed = {
                text: States(
                    computed_layers, values, tuple(row.ids), row.start, row.end, tuple(row.spans)
                )
                for text, row, values in zip(missing, inputs, outputs, strict=True)
            }
            self._states.put_many(((key, text), entry) for text, entry in computed.items())
            states.update(computed)
        return states

    def frequencies(self, key: EncoderKey, corpus: Corpus) -> InverseFrequencies:
        """The inverse document frequencies of wordpieces in a corpus's references."""
        from scorers.bertscore.matching import InverseFrequencies

        cache_key = (key[0], corpus.fingerprint)
        return self._frequencies.get(
            cache_key, lambda: InverseFrequencies(corpus, self.encoder(key))
        )

    def keyphrases(
        self,
        predictor: str,
        pairs: Iterable[tuple[str, str]],
        on_progress: OnProgress | None = None,
    ) -> Mapping[tuple[str, str], Keyphrases]:
        """The keyphrase weights of each distinct (question, text) pair."""
        distinct = list(dict.fromkeys(pairs))
        cached = self._keyphrases.get_many((predictor, *pair) for pair in distinct)
        keyphrases = {(question, text): value for (_, question, text), value in cached.items()}
        missing = [pair for pair in distinct if pair not in keyphrases]
        if missing:
            values = self._predictor(predictor).keyphrases(missing, on_progress)
            computed = dict(zip(missing, values, strict=True))
            self._keyphrases.put_many(((predictor, *pair), v) for pair, v in computed.items())
            keyphrases.update(computed)
        return keyphrases

    def load(self, key: tuple[str, ...], load: Callable[[Device], Loaded]) -> Loaded:
        """The network of a key, loaded by `load` at the first call; see `scorers.learned.metric`.

        `learned_scores` caches scores by such a key and the scored texts.
        """
        network: Loaded = self._networks.get(key, lambda: load(self._device))
        return network

    def _predictor(self, name: str) -> KeyphrasePredictor:
        from scorers.keyphrases.predictor import KeyphrasePredictor
        from scorers.learned.checkpoint import checkpoint_folder

        return self.load(
            ("predictor", name), lambda device: KeyphrasePredictor(checkpoint_folder(name), device)
        )
