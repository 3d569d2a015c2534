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

#: How a reader deviates from KPQA (Section 3.1), by format.
DEVIATIONS: Mapping[str, str] = MappingProxyType({"hotpotqa": hotpotqa.DEVIATION})


def read(path: Path, format_: str) -> tuple[list[QuestionAnswer], ReadReport]:
    """Read the questions of a file, and report the numbers of read and left-out questions.

    Raises FileError, which names file, line and field, for an invalid file and for a file without a
    usable question.
    """
    if format_ not in FORMATS:
        raise FileError(f"the format must be one of {', '.join(FORMATS)}, not {format_!r}")
    report = ReadReport()
    questions = list(FORMATS[format_](path, report))
    if not questions:
        raise FileError(f"{path} has no usable question: {report}")
    return questions, report
