"""Concord's own JSON Lines of judgments, as `export_judgments` writes them.

A line is a candidate: `id`, `references`, `candidate`, and what else is known. Candidates without
a score and without ratings are left out. A score needs its `scale`; where a file names none, its
scores must all lie between 0 and 1, or all between 1 and 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import fsum
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError
from scorers.judgments.fields import (
    Scale,
    number_field,
    scale_field,
    share_of_scale,
    text_field,
)
from scorers.judgments.records import Judgment
from scorers.keyphrases.sources.lines import text_lines

_UNIT: Scale = (0.0, 1.0)
_RATING: Scale = (1.0, 5.0)


def read(path: Path) -> Iterator[Judgment]:
    """The judged candidates of a file, in its order; FileError at the first fault."""
    rows = list(_rows(path))
    unstated = _scale_of([score for _, row, score in rows if row.get("scale") is None], path)
    for where, row, score in rows:
        scale = unstated if row.get("scale") is None else scale_field(row["scale"], where)
        yield _judgment(row, where, share_of_scale(score, scale, "score", where))


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any], float]]:
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileError(f"{where}: is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise FileError(f"{where}: must be a JSON object")
        score = _score(row, where)
        if score is not None:
            yield where, row, score


def _score(row: dict[str, Any], where: str) -> float | None:
    if row.get("score") is not None:
        return number_field(row["score"], "score", where)
    ratings = row.get("ratings") or []
    if not isinstance(ratings, list) or not all(isinstance(rating, dict) for rating in ratings):
        raise FileError(f"{where}, field ratings: must be a list of objects")
    values = [number_field(rating.get("value"), "ratings", where) for rating in ratings]
    return fsum(values) / len(values) if values else None


def _scale_of(scores: list[float], path: Path) -> Scale:
    low, high = min(scores, default=0.0), max(scores, default=1.0)
    for scale in (_UNIT, _RATING):
        if scale[0] <= low and high <= scale[1]:
            return scale
    raise FileError(
        f"{path}: its scores lie between {low:g} and {high:g} and it names no scale: "
        'give each line a "scale", such as [1, 10]'
    )


def _judgment(row: dict[str, Any], where: str, gold: float) -> Judgment:
    references = row.get("references")
    if not isinstance(references, list) or not references:
        raise FileError(f"{where}, field references: must be a list of one string or more")
    if not all(isinstance(text, str) for text in references):
        raise FileError(f"{where}, field references: must hold strings only")
    passage, question = text_field(row, "passage", where), text_field(row, "question", where)
    instance = text_field(row, "instance", where)
    return Judgment(
        id=str(row.get("id", "")),
        question=question,
        references=tuple(references),
        candidate=text_field(row, "candidate", where, required=True),
        gold=gold,
        passage=passage,
        group=passage or instance or question or "\n".join(references),
        constituent=text_field(row, "constituent", where),
        split=text_field(row, "split", where),
        system=text_field(row, "system", where),
        short_answer=text_field(row, "short_answer", where),
    )
