"""What weighs in a candidate and its references, for the candidate's page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import scorers
from benchmarks.models import Candidate, JudgmentSet
from benchmarks.services import frames, scoring

# Texts and words a page can show and a person can read.
_REFERENCES_SHOWN = 6
_WORDS_SHOWN = 200
_LEVELS = 10

_VIEWS = (
    ("keyphrase", "for the question"),
    ("rarity", "by rarity (idf)"),
    ("likeness", "by plain BERTScore"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word, its weight in [0, 1], and the weight as a level from 0 to 10 for its colour."""

    text: str
    weight: float

    @property
    def level(self) -> int:
        return round(self.weight * _LEVELS)


@dataclass(frozen=True, slots=True)
class View:
    """A text under one way of weighing; `name` says which."""

    name: str
    words: list[Word]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A text under each way of weighing; `cut` says that it goes on."""

    title: str
    views: list[View]
    cut: bool


def heat_maps(judgment_set: JudgmentSet, candidate: Candidate) -> list[HeatMap]:
    """The references' heat maps, then the candidate's.

    Raises scorers.ModelError when the models are not there.
    """
    instance = candidate.instance
    references = tuple(instance.references[:_REFERENCES_SHOWN])
    item = scorers.Item(candidate.text, references, instance.question)
    ours, theirs = scoring.session().weigh(item, frames.corpus(judgment_set))
    several = len(theirs) > 1
    maps = [
        _heat_map(f"Reference {number}" if several else "Reference", text)
        for number, text in enumerate(theirs, 1)
    ]
    return [*maps, _heat_map("Candidate", ours)]


def _heat_map(title: str, text: scorers.WeighedText) -> HeatMap:
    return HeatMap(title, list(_views(text)), len(text.words) > _WORDS_SHOWN)


def _views(text: scorers.WeighedText) -> Iterator[View]:
    words = text.words[:_WORDS_SHOWN]
    for attribute, name in _VIEWS:
        weights = getattr(text, attribute).tolist()
        yield View(name, [Word(word, weight) for word, weight in zip(words, weights, strict=False)])
