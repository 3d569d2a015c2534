"""The paper's second evaluation of answers, simulated (Soricut and Brill, 2004, Section 4.3).

"2/3 of the output answers rated correct of the systems ranked 1st, 2nd, 3rd, and 6th by the
previous human evaluation have been intentionally over-flooded using two long and out-of-context
sentences, while their ratings were changed from correct to somehow-related." On the plane this
moves the guideline from recall towards precision, and the best alpha should follow.

What is left open there: the sentences come from other passages' candidates, and the long ones are
the longer half of all there are; they are put after the answer; "correct" is the upper third of
the scale and "somehow related" its middle, where the caller does not say otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorers import Item
from scorers.plane.errors import PlaneError

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+")


@dataclass(frozen=True, slots=True)
class Flooding:
    """What is flooded, at the paper's values.

    ranks: places, from 1, of the systems by mean gold; places that no system has are passed over.
    share: of each such system's good answers, rounded. sentences: how many are added to each.
    good: the lowest gold of a good answer. lowered: what its gold becomes; below `good`.
    """

    good: float
    lowered: float
    ranks: tuple[int, ...] = (1, 2, 3, 6)
    share: float = 2 / 3
    sentences: int = 2

    @classmethod
    def on_scale(cls, low: float, high: float) -> Flooding:
        """Good is the upper third of the scale, and the middle is what becomes of it."""
        if not low < high:
            raise PlaneError(f"a scale from {low} to {high} has no upper third")
        return cls(good=high - (high - low) / 3, lowered=(low + high) / 2)

    def __post_init__(self) -> None:
        if not (0 < self.share <= 1 and self.sentences >= 1 and self.lowered < self.good):
            raise PlaneError(
                "a share of more than 0 up to 1 is flooded, with one sentence or more, and gold "
                "goes down"
            )
        if not self.ranks or min(self.ranks) < 1:
            raise PlaneError("ranks count from 1")


@dataclass(frozen=True, slots=True)
class FloodedAnswer:
    """One answer that was flooded: which, with what, taken from which candidates, and its gold."""

    candidate: int
    system: str
    sentences: tuple[str, ...]
    sources: tuple[int, ...]
    gold_before: float
    gold_after: float


@dataclass(frozen=True, eq=False)
class FloodedSet:
    """The set as it would have been: items and gold in the order given, and what was done to it.

    systems: those flooded, by rank. good: how many good answers they had.
    """

    items: list[Item]
    gold: NDArray[np.float64]
    records: tuple[FloodedAnswer, ...]
    systems: tuple[str, ...]
    good: int


def flood(
    items: Sequence[Item],
    gold: NDArray[np.float64],
    *,
    systems: Sequence[str],
    clusters: Sequence[object],
    flooding: Flooding,
    rng: np.random.Generator,
) -> FloodedSet:
    """Flood good answers of chosen systems; nothing given is changed.

    gold: float64 (n,), NaN for "not judged": such a candidate is never flooded, but its sentences
    may be used. systems: names, "" where unknown. clusters: the passages; a sentence that is added
    is in no answer of the passage itself, and an answer gets none twice. The draws depend on the
    generator and on the order of the candidates. Raises PlaneError where shapes differ, no system
    has a rank asked for, or some answer's passage leaves too few sentences to flood it.
    """
    people = np.asarray(gold, dtype=np.float64)
    if not people.shape == (len(items),) == (len(systems),) == (len(clusters),):
        raise PlaneError(f"there are {len(items)} items; gold, systems and clusters must match")
    ranked = _rank_systems(people, systems)
    chosen = tuple(ranked[rank - 1] for rank in sorted(set(flooding.ranks)) if rank <= len(ranked))
    if not chosen:
        raise PlaneError(f"no system is ranked {', '.join(map(str, flooding.ranks))}")
    pool = _SentencePool(items, clusters)
    changed, lowered = list(items), people.copy()
    records: list[FloodedAnswer] = []
    good = 0
    for system in chosen:
        own = [i for i, name in enumerate(systems) if name == system and people[i] >= flooding.good]
        good += len(own)
        number = round(len(own) * flooding.share)
        for i in sorted(rng.choice(own, size=number, replace=False).tolist() if number else ()):
            added = pool.draw(clusters[i], flooding.sentences, rng)
            sentences = tuple(sentence for sentence, _ in added)
            text = " ".join([items[i].candidate, *sentences]).strip()
            changed[i] = replace(items[i], candidate=text)
            lowered[i] = flooding.lowered
            sources = tuple(source for _, source in added)
            records.append(
                FloodedAnswer(i, system, sentences, sources, float(people[i]), flooding.lowered)
            )
    return FloodedSet(changed, lowered, tuple(records), chosen, good)


def split_sentences(text: str) -> list[str]:
    """The sentences of a text: cut at white space after a full stop, question or exclamation mark.

    A text without one is a sentence; an empty text has none.
    """
    return [part for part in (piece.strip() for piece in _END.split(text)) if part]


def _rank_systems(gold: NDArray[np.float64], systems: Sequence[str]) -> list[str]:
    """The systems by mean gold, the best first, equal ones by name; without any gold, none."""
    values: dict[str, list[float]] = {}
    for name, value in zip(systems, gold.tolist(), strict=True):
        if name and not np.isnan(value):
            values.setdefault(name, []).append(value)
    return sorted(values, key=lambda name: (-float(np.mean(values[name])), name))


class _SentencePool:
    """Different sentences no shorter, in words, than the median one, and where each occurs."""

    def __init__(self, items: Sequence[Item], clusters: Sequence[object]) -> None:
        places: dict[str, list[int]] = {}
        for i, item in enumerate(items):
            for sentence in split_sentences(item.candidate):
                places.setdefault(sentence, []).append(i)
        lengths = [len(sentence.split()) for sentence in places]
        middle = float(np.median(lengths)) if lengths else 0.0
        self._sentences = [
            sentence for sentence, n in zip(places, lengths, strict=True) if n >= middle
        ]
        self._sources = [places[sentence][0] for sentence in self._sentences]
        self._of_passage: dict[object, list[int]] = {}
        for k, sentence in enumerate(self._sentences):
            for passage in {clusters[i] for i in places[sentence]}:
                self._of_passage.setdefault(passage, []).append(k)

    def draw(self, passage: object, number: int, rng: np.random.Generator) -> list[tuple[str, int]]:
        """Different sentences that this passage's answers have not, with equal chances."""
        own = self._of_passage.get(passage, [])
        others = np.delete(np.arange(len(self._sentences)), own)
        if len(others) < number:
            raise PlaneError(
                f"flooding takes {number} sentences from other passages, there are {len(others)}"
            )
        drawn = rng.choice(others, size=number, replace=False).tolist()
        return [(self._sentences[k], self._sources[k]) for k in drawn]
