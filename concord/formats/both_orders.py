"""Readers of a judge's choices between two answers that were shown in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from concord.formats.errors import Problems
from concord.formats.fields import json_type
from concord.formats.files import SourceFile, open_files, unreadable_error
from concord.formats.limits import Limits
from concord.formats.report import FileReport, ReportCallback

Choice = Literal[1, 2]
_CHOICES: dict[object, Choice] = {1: 1, 2: 2, "1": 1, "2": 2}
_LLMBAR_ORDERS = ("swap = False", "swap = True")
_LLMBAR_MEANINGS = {"label": "better", "results": "as_given and swapped"}


@dataclass(frozen=True)
class BothOrders:
    """A pair of answers. better: people's choice. as_given, swapped: the answer (not the side)
    that the judge chose with the answers shown in the file's order and in the other; None where
    its answer was invalid."""

    better: Choice
    as_given: Choice | None
    swapped: Choice | None


def read_both_orders(
    path: str | Path,
    format: str = "concord",
    limits: Limits | None = None,
    on_report: ReportCallback | None = None,
) -> list[BothOrders]:
    """The pairs of a file, in its order.

    concord: JSON Lines with `better`, `as_given` and `swapped`, each 1 or 2; the last two may be
    null, for an invalid answer. llmbar: a `result.json` of Zeng et al. (2024); of several results
    of a pair the last counts. Raises FormatError.
    """
    problems, path = Problems(), Path(path)
    try:
        (file,) = open_files([path], limits or Limits())
        report = FileReport([file.name], format, "pairs")
        pairs = list(FORMATS[format](file, problems, report))
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    problems.raise_if_any()
    if not pairs:
        raise problems.fatal(file.name, None, None, "has no pairs")
    report.read = len(pairs)
    if on_report is not None:
        on_report(report)
    return pairs


def _read_concord(file: SourceFile, problems: Problems, report: FileReport) -> Iterator[BothOrders]:
    for line, row in file.objects(problems):
        report.see(row, {name: name for name in ("better", "as_given", "swapped")})
        faults = problems.total
        for name in ("better", "as_given", "swapped"):
            value = row.get(name)
            is_missing = value is None and name != "better"
            if not is_missing and (type(value) is not int or value not in (1, 2)):
                problems.add(file.name, line, name, f"is {json_type(value)}; 1 or 2 is expected")
        better = _choice(row.get("better"))
        if better is not None and problems.total == faults:
            yield BothOrders(better, _choice(row.get("as_given")), _choice(row.get("swapped")))


def _read_llmbar(file: SourceFile, problems: Problems, report: FileReport) -> Iterator[BothOrders]:
    rows = file.document(problems)
    if type(rows) is not list:
        message = f"is {json_type(rows)}; a list of pairs is expected"
        raise problems.fatal(file.name, None, None, message)
    for position, row in enumerate(rows):
        field = f"[{position}]"
        report.see(row if type(row) is dict else (), _LLMBAR_MEANINGS, "[].")
        label = _choice(row.get("label")) if type(row) is dict else None
        results = row.get("results") if type(row) is dict else None
        if label is None:
            problems.add(file.name, None, f"{field}.label", "1 or 2 is expected")
        elif type(results) is not list or not results or type(results[-1]) is not dict:
            problems.add(file.name, None, f"{field}.results", "a list of results is expected")
        else:
            as_given, swapped = (_winner(results[-1].get(order)) for order in _LLMBAR_ORDERS)
            yield BothOrders(label, as_given, swapped)


def _winner(result: Any) -> Choice | None:
    return _choice(result.get("winner")) if type(result) is dict else None


def _choice(value: object) -> Choice | None:
    return _CHOICES.get(value) if type(value) in (str, int) else None


FORMATS = {"concord": _read_concord, "llmbar": _read_llmbar}
BOTH_ORDERS_FORMATS: tuple[str, ...] = tuple(FORMATS)
