"""Sentence similarity sets as tab-separated values, read as judgments without a question.

The published formats of STS-B have seven or more columns (genre, file, year, number, score, two
sentences), nine or more columns (the GLUE copy, with the score last), or three columns (two
sentences with the score first or last). A first line whose score is not a number is a heading.
Scores are from 0 to 5. The first sentence is the reference, the second the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from concord.formats.fields import scale_fault
from concord.formats.numbers import read_number
from scorers.jsonl import FileError
from scorers.judgments.records import Judgment
from scorers.judgments.scale import Scale, share_of_scale
from scorers.keyphrases.sources.lines import text_lines

_SCALE: Scale = (0.0, 5.0)

# The minimum number of columns, and the columns of score, reference and candidate.
_LAYOUTS: dict[str, tuple[int, tuple[int, int, int]]] = {
    "glue": (10, (9, 7, 8)),
    "sts": (7, (4, 5, 6)),
    "score first": (3, (0, 1, 2)),
    "score last": (3, (2, 0, 1)),
}


def read(path: Path) -> Iterator[Judgment]:
    """The sentence pairs of a file, in order. Raises FileError at the first error."""
    lines = [(number, line.split("\t")) for number, line in text_lines(path)]
    positions = _layout(path, lines)
    for index, (number, columns) in enumerate(lines):
        where = f"{path}, line {number}"
        if len(columns) <= max(positions):
            raise FileError(f"{where}: has {len(columns)} columns, but needs {max(positions) + 1}")
        score = read_number(columns[positions[0]])
        if isinstance(score, str):
            if index == 0:
                continue
            raise FileError(f"{where}, field score: {score}")
        if fault := scale_fault(score, _SCALE):
            raise FileError(f"{where}, field score: {fault}")
        reference, candidate = columns[positions[1]], columns[positions[2]]
        yield Judgment(
            id=str(number),
            question="",
            references=(reference,),
            candidate=candidate,
            gold=share_of_scale(score, _SCALE),
            group=reference,
        )


def _layout(path: Path, lines: Sequence[tuple[int, list[str]]]) -> tuple[int, int, int]:
    """The layout of the second line, because the first may be a heading."""
    for _, columns in lines[1:2] or lines[:1]:
        for min_columns, positions in _LAYOUTS.values():
            if len(columns) < min_columns:
                continue
            if isinstance(read_number(columns[positions[0]]), float):
                return positions
    raise FileError(f"{path} is not a table of sentence pairs with scores in the format of STS-B")
