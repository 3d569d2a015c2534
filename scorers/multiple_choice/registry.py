"""Registry of the readers of multiple-choice sets, by format."""

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
    """Read the questions of a file.

    Raises FileError, which names file and line, for an invalid file and for a file without
    questions.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    questions = list(FORMATS[format_](path))
    if not questions:
        raise FileError(f"{path} has no question")
    return questions
