"""What weighs in a candidate and its references, for the pages that show it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TypedDict, cast

import scorers
from benchmarks.runs.services import scoring
from scorers.word_importance import Progress

# Texts and words a page can show and a person can read.
_REFERENCES_SHOWN = 6
_WORDS_SHOWN = 200
_LEVELS = 10
# One for all items without a set, so that their document frequencies fill one place of the cache.
_NO_CORPUS = scorers.Corpus.from_references([("",)])

_VIEWS = {
    "keyphrase": "for the question",
    "rarity": "by rarity (idf)",
    "likeness": "by plain BERTScore",
}


class WordRow(TypedDict):
    text: str
    weight: float


class ViewRow(TypedDict):
    name: str
    words: list[WordRow]


class HeatMapRow(TypedDict):
    title: str
    views: list[ViewRow]
    cut: bool


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

    def to_json(self) -> HeatMapRow:
        return cast(HeatMapRow, asdict(self))

    @classmethod
    def of(cls, values: HeatMapRow) -> HeatMap:
        """From what `to_json` returned."""
        views = [
            View(view["name"], [Word(**word) for word in view["words"]]) for view in values["views"]
        ]
        return cls(values["title"], views, values["cut"])


def of_item(
    item: scorers.Item,
    corpus: scorers.Corpus | None,
    views: Collection[str] = tuple(_VIEWS),
    progress: Progress | None = None,
) -> list[HeatMap]:
    """The heat maps of an item's references, then the candidate's, under the named views.

    Views are "keyphrase", "rarity" and "likeness", all by default. `corpus` is the set that rarity
    is counted in, None where rarity is not shown. `progress` is that of
    `scorers.word_importance`.
    Raises scorers.ModelError when the models are not there.
    """
    item = replace(item, references=item.references[:_REFERENCES_SHOWN])
    ours, theirs = scoring.session().word_importance(item, corpus or _NO_CORPUS, progress)
    several = len(theirs) > 1
    maps = [
        _heat_map(f"Reference {number}" if several else "Reference", text, views)
        for number, text in enumerate(theirs, 1)
    ]
    return [*maps, _heat_map("Candidate", ours, views)]


def _heat_map(title: str, text: scorers.WordImportance, views: Collection[str]) -> HeatMap:
    return HeatMap(title, list(_views(text, views)), len(text.words) > _WORDS_SHOWN)


def _views(text: scorers.WordImportance, chosen: Collection[str]) -> Iterator[View]:
    words = text.words[:_WORDS_SHOWN]
    for attribute in chosen:
        weights = getattr(text, attribute).tolist()
        yield View(
            _VIEWS[attribute],
            [Word(word, weight) for word, weight in zip(words, weights, strict=False)],
        )
