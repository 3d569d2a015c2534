"""Usual scales of words, such as "Strongly disagree" to "Strongly agree", in six languages.

Words have an order only if somebody said so: a recipe, the option `order`, or one of these scales,
which `usual_scales.toml` lists.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from concord.formats.records import WordScale

_LETTERS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class UsualScale:
    """A usual scale. name: what it is of, with the language. scale: its words, as the file writes
    those that it has."""

    name: str
    scale: WordScale


@dataclass(frozen=True)
class _Ladder:
    """All places of a kind of scale in one language. places: of each word. words: the first of each
    place. subsets: the places of the usual scales, those with the fewest first."""

    name: str
    places: dict[str, int]
    words: list[str]
    subsets: list[frozenset[int]]


def usual_scale(words: Collection[str]) -> UsualScale | None:
    """The smallest usual scale with all of two or more different words; None where there is none,
    and where two scales put the words in different orders. Case, accents, punctuation and digits do
    not matter: "5 = Strongly agree" is a word of the scale."""
    plain = [_plain(word) for word in words]
    found: list[UsualScale] = []
    orders = set()
    for ladder in _ladders():
        seen = {place: word for one, word in zip(plain, words, strict=True)
                if (place := ladder.places.get(one)) is not None}  # fmt: skip
        if len(seen) < max(2, len(words)):
            continue
        places = sorted(next(one for one in ladder.subsets if one >= seen.keys()))
        texts = [seen.get(place, ladder.words[place]) for place in places]
        found.append(UsualScale(ladder.name, WordScale(texts, is_ordered=True)))
        orders.add(tuple(seen[place] for place in sorted(seen)))
    return min(found, key=lambda one: len(one.scale.words)) if len(orders) == 1 else None


@cache
def _ladders() -> list[_Ladder]:
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return list(_read(tomllib.loads(text)))


def _read(document: dict[str, Any]) -> Iterator[_Ladder]:
    for name, table in document.items():
        points = table.pop("points", [])
        for language, rungs in table.items():
            listed = [[word.strip() for word in rung.split(" / ")] for rung in rungs]
            places = {_plain(word): at for at, words in enumerate(listed) for word in words}
            subsets = [frozenset(int(place) - 1 for place in one) for one in points]
            subsets = sorted([*subsets, frozenset(range(len(listed)))], key=len)
            title = f"{name.partition('-')[0]} in {language}"
            yield _Ladder(title, places, [words[0] for words in listed], subsets)


def _plain(word: str) -> str:
    """The letters of a word without case and accents."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", word.casefold())
                   if not unicodedata.combining(one))  # fmt: skip
    return " ".join(_LETTERS.findall(bare))
