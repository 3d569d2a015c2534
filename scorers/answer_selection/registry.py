"""The way into the readers of answer sentence selection sets: a file and its format's name."""

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
    """The questions of a file in a published form, each with its correct and wrong sentences.

    All or nothing: FileError, naming file and line, for a file that is not of the format or has
    no sentence.
    """
    if format_ not in FORMATS:
        raise FileError(f"there is no format {format_!r}; there are {', '.join(FORMATS)}")
    questions = group_by_question(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no sentence")
    return questions
