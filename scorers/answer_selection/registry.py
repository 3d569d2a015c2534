"""Registry of the readers of answer sentence selection sets, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from scorers.answer_selection import tables, trecqa
from scorers.answer_selection.records import LabelledSentence, SelectionQuestion, group_by_question
from scorers.jsonl import FileError

FORMATS: Mapping[str, Callable[[Path], Iterator[LabelledSentence]]] = MappingProxyType(
    {"trecqa": trecqa.read, "wikiqa": tables.read_wikiqa, "tsv": tables.read_plain}
)


def read_questions(path: Path, format_: str) -> list[SelectionQuestion]:
    """Read the questions of a file, each with its correct and wrong sentences.

    Raises FileError, which names file and line, for an invalid file and for a file without
    sentences.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    questions = group_by_question(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no sentence")
    return questions
