"""Word importance of a candidate and its references, as heat maps for pages."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TypedDict, cast

import scorers
from benchmarks.runs.services import scoring

_MAX_REFERENCES = 6
_MAX_WORDS = 200
_LEVELS = 10
# One corpus for all items, so that they use one entry of the cache.
_NO_CORPUS = scorers.Corpus.from_references([("",)])

_VIEWS = {
    "keyphrase": "for the question",
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
    """A word with its weight in [0, 1]; `level` is the weight from 0 to 10, for the colour."""

    text: str
    weight: float

    @property
    def level(self) -> int:
        return round(self.weight * _LEVELS)


@dataclass(frozen=True, slots=True)
class View:
    """The words of a text with the weights of one kind; `name` is the kind's title."""

    name: str
    words: list[Word]


@dataclass(frozen=True, slots=True)
class HeatMap:
    """The words of a text with weights of each kind. cut: whether the text has more words."""

    title: str
    views: list[View]
    cut: bool

    def to_json(self) -> HeatMapRow:
        return cast(HeatMapRow, asdict(self))

    @classmethod
    def from_json(cls, values: HeatMapRow) -> HeatMap:
        """The inverse of `to_json`."""
        views = [
            View(view["name"], [Word(**word) for word in view["words"]]) for view in values["views"]
        ]
        return cls(values["title"], views, values["cut"])


def heat_maps(item: scorers.Item) -> list[HeatMap]:
    """The heat maps of an item's references, then of the candidate.

    They have no weights by rarity, which need a whole set. Raises scorers.ModelError if the models
    are not available.
    """
    item = replace(item, references=item.references[:_MAX_REFERENCES])
    candidate, references = scoring.session().word_importance(item, _NO_CORPUS)
    is_only = len(references) == 1
    maps = [
        _heat_map("Reference" if is_only else f"Reference {number}", text)
        for number, text in enumerate(references, 1)
    ]
    return [*maps, _heat_map("Candidate", candidate)]


def _heat_map(title: str, text: scorers.WordImportance) -> HeatMap:
    words = text.words[:_MAX_WORDS]
    views = [
        View(name, [Word(*pair) for pair in zip(words, getattr(text, kind).tolist(), strict=False)])
        for kind, name in _VIEWS.items()
    ]
    return HeatMap(title, views, len(text.words) > _MAX_WORDS)
