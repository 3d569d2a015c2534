"""Readers of question answering sets, by format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scorers.jsonl import FileError
from scorers.keyphrases.sources import hotpotqa, msmarco, qamr, trecqa
from scorers.keyphrases.sources.lines import json_document
from scorers.keyphrases.sources.records import QuestionAnswer, ReadReport, Span


def read_squad(path: Path, report: ReadReport) -> Iterator[QuestionAnswer]:
    """SQuAD 1.1 and 2.0 (Rajpurkar et al., 2016, 2018): spans of a paragraph.

    Published format: `{"data": [{"title", "paragraphs": [{"context", "qas": [{"id", "question",
    "answers": [{"text", "answer_start"}], "is_impossible"}]}]}]}`. Impossible questions are left
    out; all answers of the dev sets are read, one for each annotator. A group is a paragraph.
    """
    document = json_document(path)
    try:
        for a, article in enumerate(document["data"]):
            for p, paragraph in enumerate(article["paragraphs"]):
                passage: str = paragraph["context"]
                for entry in paragraph["qas"]:
                    where = f"data[{a}].paragraphs[{p}], question {entry.get('id')!r}"
                    answers = [
                        (_span(path, where, passage, answer),) for answer in entry["answers"]
                    ]
                    if entry.get("is_impossible") or not answers:
                        report.left_out["without an answer"] += 1
                        continue
                    report.read += 1
                    yield QuestionAnswer(entry["question"], passage, tuple(answers), f"{a}/{p}")
    except (KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{path} is not a SQuAD file: {error!r}") from None


def _span(path: Path, where: str, passage: str, answer: dict[str, Any]) -> Span:
    start = answer["answer_start"]
    end = start + len(answer["text"])
    if passage[start:end] != answer["text"]:
        raise FileError(
            f"{path}, {where}: the answer is not in the context at its answer_start, {start}"
        )
    return start, end


FORMATS: Mapping[str, Callable[[Path, ReadReport], Iterator[QuestionAnswer]]] = MappingProxyType(
    {
        "squad": read_squad,
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
