"""The way into the readers of multiple-choice sets: a file and the name of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from scorers.jsonl import FileError
from scorers.multiple_choice import boolq, mctest, multirc, qamr, race
from scorers.multiple_choice.records import ChoiceQuestion

FORMATS: Mapping[str, Callable[[Path], Iterator[ChoiceQuestion]]] = MappingProxyType(
    {
        "mctest": mctest.read,
        "race": race.read,
        "boolq": boolq.read,
        "multirc": multirc.read,
        "qamr": qamr.read,
    }
)


def read_choices(path: Path, format_: str) -> list[ChoiceQuestion]:
    """The questions of a file in a published form.

    All or nothing: FileError, naming file and line, for a file that is not of the format or has
    no question.
    """
    if format_ not in FORMATS:
        raise FileError(f"there is no format {format_!r}; there are {', '.join(FORMATS)}")
    questions = list(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no question")
    return questions
