"""Sentence similarity sets as tab-separated values, read as judgments without a question.

STS-B's published forms: seven columns or more (genre, file, year, number, score, two sentences), or
nine or more of the GLUE copy (the score last), or three (score and two sentences, in either order
of score and sentences). A first line whose score is no number is taken for a heading. Scores go
from 0 to 5. The first sentence is the reference, the second the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.formats.fields import scale_fault
from scorers.jsonl import FileError
from scorers.judgments.records import Judgment
from scorers.judgments.scale import Scale, share_of_scale
from scorers.keyphrases.sources.lines import text_lines

_SCALE: Scale = (0.0, 5.0)

# Where score, reference and candidate stand: by the columns a line has at the least.
_LAYOUTS: dict[str, tuple[int, tuple[int, int, int]]] = {
    "glue": (10, (9, 7, 8)),
    "sts": (7, (4, 5, 6)),
    "score first": (3, (0, 1, 2)),
    "score last": (3, (2, 0, 1)),
}


def read(path: Path) -> Iterator[Judgment]:
    """The sentence pairs of a file, in its order; FileError at the first fault."""
    lines = [(number, line.split("\t")) for number, line in text_lines(path)]
    places = _layout(path, lines)
    for at, (number, columns) in enumerate(lines):
        where = f"{path}, line {number}"
        if len(columns) <= max(places):
            raise FileError(f"{where}: has {len(columns)} columns, {max(places) + 1} are expected")
        score = _number(columns[places[0]])
        if score is None:
            if at == 0:
                continue
            raise FileError(f"{where}, field score: must be a number, not {columns[places[0]]!r}")
        if fault := scale_fault(score, _SCALE):
            raise FileError(f"{where}, field score: {fault}")
        reference, candidate = columns[places[1]], columns[places[2]]
        yield Judgment(
            id=str(number),
            question="",
            references=(reference,),
            candidate=candidate,
            gold=share_of_scale(score, _SCALE),
            group=reference,
        )


def _layout(path: Path, lines: Sequence[tuple[int, list[str]]]) -> tuple[int, int, int]:
    """The layout the second line has; the first may be a heading."""
    for _, columns in lines[1:2] or lines[:1]:
        for least, places in _LAYOUTS.values():
            if len(columns) >= least and _number(columns[places[0]]) is not None:
                return places
    raise FileError(f"{path} is no table of sentence pairs with a score: see the readers' names")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
