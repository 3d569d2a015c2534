"""Readers of a judge's choices between two answers that were shown in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.formats.choices import ChoiceAnswer, read_choice
from concord.formats.errors import Problems
from concord.formats.fields import json_type
from concord.formats.files import SourceFile, reading
from concord.formats.limits import Limits
from concord.formats.report import FileReport, ReportCallback
from concord.formats.sides import usual_choice

_EXPECTED = '1 or 2 is expected, or "tie", "both_bad" or null'
_OTHER: dict[ChoiceAnswer | None, ChoiceAnswer | None] = {1: 2, 2: 1}
_LLMBAR_ORDERS = ("swap = False", "swap = True")
_LLMBAR_MEANINGS = {"label": "better", "results": "as_given and swapped"}
_JUDGEBENCH_MEANINGS = {"label": "better", "judgments": "as_given and swapped"}
_JUDGEBENCH_MEANINGS |= {"question": "question"}


@dataclass(frozen=True)
class BothOrders:
    """A pair of answers. better: people's choice, None where they have none. as_given, swapped: the
    answer (not the side) that the judge chose with the answers shown in the file's order and in the
    other; None where its answer was invalid. question: the key of the pair's question; pairs of one
    question depend on each other. "" where it is unknown: such a pair depends on no other."""

    better: ChoiceAnswer | None
    as_given: ChoiceAnswer | None
    swapped: ChoiceAnswer | None
    question: str = ""


def read_both_orders(
    path: str | Path,
    format: str = "concord",
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
) -> list[BothOrders]:
    """The pairs of a file, in its order.

    concord: JSON Lines with `better`, `as_given` and `swapped`, each 1, 2, a tie or both bad
    (`concord.formats.choices`), or null, for an invalid answer, and a text `question`, if it is
    known. llmbar: a `result.json` of Zeng et
    al. (2024); of several results of a pair the last counts. judgebench: the output of Tan et al.
    (2024), with a judge's decisions on both orders. Raises FormatError.
    """
    with reading(path, limits) as (file, problems):
        report = FileReport([file.name], format, "pairs")
        pairs = list(FORMATS[format](file, problems, report))
    if not pairs:
        raise problems.fatal(file.name, None, None, "has no pairs")
    report.read = len(pairs)
    if on_report is not None:
        on_report(report)
    return pairs


def _read_concord(file: SourceFile, problems: Problems, report: FileReport) -> Iterator[BothOrders]:
    names = ("better", "as_given", "swapped")
    for line, row in file.objects(problems):
        report.see(row, {name: name for name in (*names, "question")})
        faults = problems.total
        if "better" not in row:
            problems.add(file.name, line, "better", f"is missing; {_EXPECTED}")
        better, as_given, swapped = answers = [_answer(row.get(name)) for name in names]
        for name, answer in zip(names, answers, strict=True):
            if answer is None and row.get(name) is not None:
                problems.add(file.name, line, name, f"is {json_type(row[name])}; {_EXPECTED}")
        question = row.get("question", "")
        if type(question) is not str:
            problems.add(file.name, line, "question", f"is {json_type(question)}; text is expected")
        if problems.total == faults:
            yield BothOrders(better, as_given, swapped, question)


def _answer(value: object) -> ChoiceAnswer | None:
    """A choice, whose number is no text."""
    return None if value in ("1", "2") else read_choice(value)


def _read_llmbar(file: SourceFile, problems: Problems, report: FileReport) -> Iterator[BothOrders]:
    rows = file.document(problems)
    if type(rows) is not list:
        message = f"is {json_type(rows)}; a list of pairs is expected"
        raise problems.fatal(file.name, None, None, message)
    for position, row in enumerate(rows):
        field = f"[{position}]"
        report.see(row if type(row) is dict else (), _LLMBAR_MEANINGS, "[].")
        label = read_choice(row.get("label")) if type(row) is dict else None
        results = row.get("results") if type(row) is dict else None
        if label not in (1, 2):
            problems.add(file.name, None, f"{field}.label", "1 or 2 is expected")
        elif type(results) is not list or not results or type(results[-1]) is not dict:
            problems.add(file.name, None, f"{field}.results", "a list of results is expected")
        else:
            as_given, swapped = (_winner(results[-1].get(order)) for order in _LLMBAR_ORDERS)
            yield BothOrders(label, as_given, swapped)


def _winner(result: Any) -> ChoiceAnswer | None:
    return read_choice(result.get("winner")) if type(result) is dict else None


def _read_judgebench(
    file: SourceFile, problems: Problems, report: FileReport
) -> Iterator[BothOrders]:
    """The decisions are about the sides as shown: those of the second are swapped."""
    for line, row in file.objects(problems):
        report.see(row, _JUDGEBENCH_MEANINGS)
        label, judgments = usual_choice(str(row.get("label"))), row.get("judgments")
        if label is None:
            problems.add(file.name, line, "label", "A>B, B>A or A=B is expected")
        elif type(judgments) is not list or len(judgments) != 2:
            problems.add(file.name, line, "judgments", "two are expected, one in either order")
        else:
            as_given, shown = (_decision(one) for one in judgments)
            swapped = _OTHER.get(shown, shown)
            question = row.get("question")
            yield BothOrders(label, as_given, swapped, question if type(question) is str else "")


def _decision(judgment: Any) -> ChoiceAnswer | None:
    decision = judgment.get("decision") if type(judgment) is dict else None
    return usual_choice(decision) if type(decision) is str else None


FORMATS = {"concord": _read_concord, "llmbar": _read_llmbar, "judgebench": _read_judgebench}
BOTH_ORDERS_FORMATS: tuple[str, ...] = tuple(FORMATS)
