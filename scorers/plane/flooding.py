"""The paper's second evaluation of answers, simulated (Soricut and Brill, 2004, Section 4.3).

"2/3 of the output answers rated correct of the systems ranked 1st, 2nd, 3rd, and 6th by the
previous human evaluation have been intentionally over-flooded using two long and out-of-context
sentences, while their ratings were changed from correct to somehow-related." On the plane this
moves the guideline from recall towards precision, and the best alpha should follow.

The paper leaves some details open. Here the sentences come from other passages' candidates; long
sentences are the longer half of all sentences; they are appended to the answer. By default
"correct" is the upper third of the scale and "somehow related" its middle.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorers import Item
from scorers.plane.statistics import PlaneError

_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+")


@dataclass(frozen=True, slots=True)
class Flooding:
    """Which answers are flooded and how; the defaults are the paper's.

    good: the lowest gold score of a good answer. lowered: the gold score of a flooded answer, below
    `good`. ranks: ranks of the flooded systems by mean gold, from 1; ranks beyond the number of
    systems are ignored. share: the share of each such system's good answers. sentences: how many
    sentences are added to an answer.
    """

    good: float
    lowered: float
    ranks: tuple[int, ...] = (1, 2, 3, 6)
    share: float = 2 / 3
    sentences: int = 2

    @classmethod
    def on_scale(cls, low: float, high: float) -> Flooding:
        """Good answers lie in the upper third of the scale and are lowered to its middle."""
        if not low < high:
            raise PlaneError(f"the scale must end above its start, not go from {low} to {high}")
        return cls(good=high - (high - low) / 3, lowered=(low + high) / 2)

    def __post_init__(self) -> None:
        if not (0 < self.share <= 1 and self.sentences >= 1 and self.lowered < self.good):
            raise PlaneError(
                "share must be above 0 and at most 1, sentences 1 or more, and lowered below good"
            )
        if not self.ranks or min(self.ranks) < 1:
            raise PlaneError("ranks must be one or more numbers from 1")


@dataclass(frozen=True, slots=True)
class FloodedAnswer:
    """A flooded answer: its index, system, added sentences, their candidates, and its gold."""

    candidate: int
    system: str
    sentences: tuple[str, ...]
    sources: tuple[int, ...]
    gold_before: float
    gold_after: float


@dataclass(frozen=True, eq=False)
class FloodedSet:
    """The set after flooding: items and gold in their original order, and the changes.

    systems: the flooded systems, by rank. good: the number of their good answers.
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
    """Flood good answers of the systems that `flooding` selects; the arguments are not modified.

    gold: float64 (n,), NaN for an unjudged candidate, which is never flooded but whose sentences
    may be used. systems: names, "" for an unknown one. clusters: the passages. An added sentence
    occurs in no answer to the same passage, and an answer gets no sentence twice. The draws depend
    on the generator and on the order of the candidates. Raises PlaneError when shapes differ, when
    no system has one of the ranks, or when other passages have too few sentences.
    """
    gold = np.asarray(gold, dtype=np.float64)
    if not gold.shape == (len(items),) == (len(systems),) == (len(clusters),):
        raise PlaneError(f"there are {len(items)} items; gold, systems and clusters must match")
    ranked = _rank_systems(gold, systems)
    flooded_systems = tuple(
        ranked[rank - 1] for rank in sorted(set(flooding.ranks)) if rank <= len(ranked)
    )
    if not flooded_systems:
        raise PlaneError(f"no system has a rank of {', '.join(map(str, flooding.ranks))}")
    pool = _SentencePool(items, clusters)
    flooded_items, flooded_gold = list(items), gold.copy()
    records: list[FloodedAnswer] = []
    good = 0
    for system in flooded_systems:
        candidates = [
            i for i, name in enumerate(systems) if name == system and gold[i] >= flooding.good
        ]
        good += len(candidates)
        number = round(len(candidates) * flooding.share)
        if not number:
            continue
        for i in sorted(rng.choice(candidates, size=number, replace=False).tolist()):
            added = pool.draw(clusters[i], flooding.sentences, rng)
            sentences = tuple(sentence for sentence, _ in added)
            text = " ".join([items[i].candidate, *sentences]).strip()
            flooded_items[i] = replace(items[i], candidate=text)
            flooded_gold[i] = flooding.lowered
            sources = tuple(source for _, source in added)
            records.append(
                FloodedAnswer(i, system, sentences, sources, float(gold[i]), flooding.lowered)
            )
    return FloodedSet(flooded_items, flooded_gold, tuple(records), flooded_systems, good)


def split_sentences(text: str) -> list[str]:
    """Split a text at white space after a full stop, question mark or exclamation mark.

    A text without such a mark is one sentence; an empty text has none.
    """
    return [part for part in (piece.strip() for piece in _END.split(text)) if part]


def _rank_systems(gold: NDArray[np.float64], systems: Sequence[str]) -> list[str]:
    """The systems with gold scores by mean gold, the best first, equal ones by name."""
    values: dict[str, list[float]] = {}
    for name, value in zip(systems, gold.tolist(), strict=True):
        if name and not np.isnan(value):
            values.setdefault(name, []).append(value)
    return sorted(values, key=lambda name: (-float(np.mean(values[name])), name))


class _SentencePool:
    """The distinct sentences of at least the median number of words, and their candidates."""

    def __init__(self, items: Sequence[Item], clusters: Sequence[object]) -> None:
        candidates_of: dict[str, list[int]] = {}
        for i, item in enumerate(items):
            for sentence in split_sentences(item.candidate):
                candidates_of.setdefault(sentence, []).append(i)
        lengths = [len(sentence.split()) for sentence in candidates_of]
        median = float(np.median(lengths)) if lengths else 0.0
        self._sentences = [
            sentence for sentence, n in zip(candidates_of, lengths, strict=True) if n >= median
        ]
        self._sources = [candidates_of[sentence][0] for sentence in self._sentences]
        self._sentences_of_passage: dict[object, list[int]] = {}
        for k, sentence in enumerate(self._sentences):
            for passage in {clusters[i] for i in candidates_of[sentence]}:
                self._sentences_of_passage.setdefault(passage, []).append(k)

    def draw(self, passage: object, number: int, rng: np.random.Generator) -> list[tuple[str, int]]:
        """Draw different sentences that do not occur in this passage's answers, uniformly."""
        excluded = self._sentences_of_passage.get(passage, [])
        others = np.delete(np.arange(len(self._sentences)), excluded)
        if len(others) < number:
            raise PlaneError(
                f"flooding needs {number} sentences from other passages, not {len(others)}"
            )
        drawn = rng.choice(others, size=number, replace=False).tolist()
        return [(self._sentences[k], self._sources[k]) for k in drawn]
