"""BERTScore of unrelated texts: the baseline by which scores are rescaled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorers.bertscore.matching import best_cosines, harmonic_mean, unit_vectors
from scorers.encoders import locate
from scorers.encoders.locate import KNOWN
from scorers.errors import EncoderError
from scorers.models import Models

Vectors = NDArray[np.float32]

_PAIRS_PER_PART = 1000
# A baseline for each known encoder, computed from the same texts and pairs.
_SHIPPED = {name: Path(__file__).parent / f"{name}.json" for name in KNOWN}


@dataclass(frozen=True, slots=True)
class Baseline:
    """Mean P, R and F1 of `pairs` random pairs of texts, for each layer of an encoder.

    sha256: the hash of the encoder's weights. source: a description of the texts. seed: the seed of
    the pairing.
    """

    encoder: str
    sha256: str
    layers: tuple[tuple[float, float, float], ...]
    pairs: int
    seed: int
    source: str

    def at(self, layer: int) -> tuple[float, float, float]:
        """The figures of a layer."""
        return self.layers[layer]

    @property
    def fingerprint(self) -> str:
        """A hash of the figures, sixteen hex digits."""
        return hashlib.blake2b(repr(self.layers).encode(), digest_size=8).hexdigest()

    def write(self, path: Path) -> None:
        """Write the baseline as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @staticmethod
    @cache
    def of(value: str, encoder: str) -> Baseline:
        """Read a baseline file, or for "true" the shipped baseline of a known encoder.

        Raises EncoderError when it cannot be read or belongs to another encoder.
        """
        if value == "true" and encoder not in _SHIPPED:
            raise EncoderError(
                f"no baseline ships for {encoder}: compute one with `python -m scorers baseline` "
                "and pass its file as rescale=FILE"
            )
        path = _SHIPPED[encoder] if value == "true" else Path(value)
        try:
            row = json.loads(path.read_text(encoding="utf-8"))
            row["layers"] = tuple(tuple(figures) for figures in row["layers"])
            baseline = Baseline(**row)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise EncoderError(f"the baseline {path} cannot be read: {error}") from error
        if baseline.sha256 != locate(encoder).sha256:
            raise EncoderError(
                f"the baseline {path} belongs to {baseline.encoder}, not to {encoder}"
            )
        return baseline


def compute_baseline(
    texts: Sequence[str], encoder: str, pairs: int, seed: int, source: str, models: Models
) -> Baseline:
    """Compute the mean scores of random pairs of different texts.

    Raises ValueError with fewer than two distinct non-empty texts.
    """
    distinct = sorted({text.strip() for text in texts if text.strip()})
    if len(distinct) < 2:
        raise ValueError("a baseline needs at least two different texts")
    rng = np.random.default_rng(seed)
    first = rng.integers(len(distinct), size=pairs)
    second = (first + rng.integers(1, len(distinct), size=pairs)) % len(distinct)
    loaded_encoder = models.encoder((encoder, "float32"))
    depths = range(loaded_encoder.layers + 1)
    sums = np.zeros((len(depths), 3))
    # In parts, because all layers of a part's texts are in memory at once.
    for start in range(0, pairs, _PAIRS_PER_PART):
        part = slice(start, start + _PAIRS_PER_PART)
        index_pairs = list(zip(first[part].tolist(), second[part].tolist(), strict=True))
        texts_of = {distinct[i] for pair in index_pairs for i in pair}
        states = models.states((encoder, "float32"), depths, sorted(texts_of))
        for layer in depths:
            vectors = {text: unit_vectors(states[text], layer, special=True) for text in texts_of}
            for i, j in index_pairs:
                sums[layer] += _figures(vectors[distinct[i]], vectors[distinct[j]])
    layers = [(p, r, f) for p, r, f in (sums / pairs).tolist()]
    return Baseline(encoder, loaded_encoder.sha256, tuple(layers), pairs, seed, source)


def _figures(candidate: Vectors, reference: Vectors) -> tuple[float, float, float]:
    of_candidate, of_reference = best_cosines(candidate, reference)
    precision = float(of_candidate[1:-1].mean())
    recall = float(of_reference[1:-1].mean())
    return precision, recall, harmonic_mean(precision, recall)
