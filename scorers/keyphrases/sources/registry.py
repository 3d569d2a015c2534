"""Registry of the readers of question answering sets, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from scorers.jsonl import FileError
from scorers.keyphrases.sources import hotpotqa, msmarco, qamr, squad, trecqa
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport

FORMATS: Mapping[str, Callable[[Path, ReadReport], Iterator[QuestionAnswer]]] = MappingProxyType(
    {
        "squad": squad.read,
        "hotpotqa": hotpotqa.read,
        "msmarco": msmarco.read,
        "qamr": qamr.read,
        "trecqa": trecqa.read,
    }
)

#: What a reader does otherwise than KPQA (Section 3.1), by format.
DEVIATIONS: Mapping[str, str] = MappingProxyType({"hotpotqa": hotpotqa.DEVIATION})


def read(path: Path, format_: str) -> tuple[list[QuestionAnswer], ReadReport]:
    """The questions of a file in a published form, and what was left out of it.

    All or nothing: FileError, naming file, line and field, for a file that is not of the format
    or holds no question that can be used.
    """
    if format_ not in FORMATS:
        raise FileError(f"there is no format {format_!r}; there are {', '.join(FORMATS)}")
    report = ReadReport()
    questions = list(FORMATS[format_](path, report))
    if not questions:
        raise FileError(f"{path} has no question that can be used: {report}")
    return questions, report
