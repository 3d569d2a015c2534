"""Readers of people's preferences between two systems' answers to one question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from concord.formats.errors import Problems, quote
from concord.formats.fields import Fields, json_type
from concord.formats.files import SourceFile, open_files, unreadable_error
from concord.formats.instances import InstancePool
from concord.formats.limits import Limits

Choice = Literal["first", "second", "tie"]

_CONCORD_CHOICES: dict[object, Choice] = {1: "first", 2: "second", "tie": "tie"}
_LFQA_CHOICES: dict[object, Choice] = {"Answer A": "first", "Answer B": "second"}
# LFQA's labels: whether a model's answer is among the two, and the kind of the first answer.
_LFQA_LABEL = re.compile(r"(HH|HM)([HhM])\[")


@dataclass(frozen=True, slots=True)
class Preference:
    """One worker's choice between two systems' answers to one question.

    question: the question's key; choices of one question are dependent. pair: the key of the two
    answers. first_shown: 1 or 2, which answer was shown first (on the left), None where unknown.
    was_hard: the worker said that it was hard to choose.
    """

    question: str
    pair: str
    first: str
    second: str
    choice: Choice
    worker: str
    first_shown: int | None = None
    was_hard: bool = False


def read_preferences(
    paths: Sequence[str | Path], format: str = "concord-pairs", limits: Limits | None = None
) -> list[Preference]:
    """Read one file, or several files of one format, in file order.

    concord-pairs: JSON Lines with `system1`, `system2` and either `ratings`, a list of {"worker",
    "choice": 1, 2 or "tie", "first_shown": 1 or 2}, or `score1` and `score2`, of which the higher
    is preferred. lfqa: Xu et al. (2023), one expert a file; the systems are H (human answers with
    more upvotes), h (with fewer) and M (a model's). Raises FormatError with file, line and field
    of each problem; a file with a problem is rejected as a whole.
    """
    limits, problems = limits or Limits(), Problems()
    files = [Path(path) for path in paths]
    reader = FORMATS[format]
    preferences: list[Preference] = []
    try:
        for file in open_files(files, limits):
            for row in reader(file, problems, limits):
                preferences.append(row)
                if len(preferences) > limits.max_rows:
                    message = f"more than {limits.max_rows:,} choices; split the file"
                    raise problems.fatal(file.name, None, None, message)
    except OSError as error:
        raise unreadable_error(error, files) from error
    problems.raise_if_any()
    if not preferences:
        raise problems.fatal(str(files[0]), None, None, "has no choice between two systems")
    return preferences


def _read_concord(file: SourceFile, problems: Problems, limits: Limits) -> Iterator[Preference]:
    pool = InstancePool()
    for line, data in file.objects(problems):
        fields = Fields(data, problems, limits, file.name, line)
        names = [fields.name(f"system{number}", required=True) for number in (1, 2)]
        texts = [fields.text(f"candidate{number}", required=True) for number in (1, 2)]
        question = fields.name("instance") or pool.key_of(
            fields.text("passage"), fields.text("question"), fields.references("references")
        )
        pair = fields.name("id") or f"{file.name}:{line}"
        if names[0] and names[0] == names[1]:
            fields.fault("system2", f"is {quote(names[1])} as `system1` is; two systems are needed")
        if fields.faults or not all(texts):
            continue
        ratings = fields.objects("ratings")
        if not ratings:
            scores = [fields.number(f"score{number}", required=True) for number in (1, 2)]
            if scores[0] is not None and scores[1] is not None:
                choice: Choice = "tie"
                if scores[0] != scores[1]:
                    choice = "first" if scores[0] > scores[1] else "second"
                yield Preference(question, pair, names[0], names[1], choice, "")
        workers: set[str] = set()
        for item in ratings:
            worker = item.name("worker", required=True)
            shown = item.data.get("first_shown")
            value = item.data.get("choice")
            parsed = _CONCORD_CHOICES.get(value) if type(value) in (int, str) else None
            if parsed is None:
                item.fault("choice", '1, 2 or "tie" is expected')
            if shown is not None and (type(shown) is not int or shown not in (1, 2)):
                item.fault("first_shown", "1 or 2 is expected")
            if worker in workers:
                item.fault("worker", f"{quote(worker)} chooses twice")
            workers.add(worker)
            if parsed is not None and not item.faults:
                yield Preference(question, pair, names[0], names[1], parsed, worker, shown)


def _read_lfqa(file: SourceFile, problems: Problems, limits: Limits) -> Iterator[Preference]:
    rows = file.document(problems)
    if type(rows) is not list:
        message = f"is {json_type(rows)}; a list of choices is expected"
        raise problems.fatal(file.name, None, None, message)
    for position, row in enumerate(rows):
        if type(row) is not dict:
            message = f"is {json_type(row)}; an object is expected"
            problems.add(file.name, None, f"[{position}]", message)
            continue
        fields = Fields(row, problems, limits, file.name, None, f"[{position}].")
        label = _LFQA_LABEL.match(fields.text("answer1_label", required=True))
        choice = _LFQA_CHOICES.get(fields.text("BetterAnswer", required=True))
        question = fields.name("q_id", required=True)
        answers = [fields.text(f"answer{number}", required=True) for number in (1, 2)]
        if label is None:
            fields.fault("answer1_label", "a label such as HMM[2] is expected")
        if choice is None:
            fields.fault("BetterAnswer", '"Answer A" or "Answer B" is expected')
        if label is None or choice is None or fields.faults:
            continue
        kinds, first = label[1], label[2]
        others = {"H": "M" if kinds == "HM" else "h", "h": "H", "M": "H"}
        yield Preference(
            question,
            hashlib.sha256("\0".join([question, *answers]).encode()).hexdigest(),
            first,
            others[first],
            choice,
            str(row.get("annotator")),
            1,
            str(row.get("DifficultToChoose")).startswith("Yes"),
        )


FORMATS = {"concord-pairs": _read_concord, "lfqa": _read_lfqa}
PREFERENCE_FORMATS: tuple[str, ...] = tuple(FORMATS)
