"""Reader of a judge's stored answers: JSON Lines, one answer about one candidate a line.

`{"id", "score"}` or `{"id", "label"}`, each with optional `raw` (the judge's own words) and `model`
(the version that answered). Any tool may have made the file; the lines of `concord judge` are
read, too. Other fields are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from concord.formats.errors import Problems, quote, quote_names
from concord.formats.fields import json_type, parse_number, text_fault
from concord.formats.files import open_files, unreadable_error
from concord.formats.labels import category, label_key
from concord.formats.limits import Limits

DEFAULT_LABELS = ("incorrect", "correct")
MAX_LABELS = 100
MAX_LABEL = 200
MAX_RAW = 50_000
MAX_MODEL = 200
_VALUES = ("score", "label", "scores")


@dataclass(frozen=True, slots=True)
class ReadJudgeAnswer:
    """One answer. score: None for an invalid one; `reason` then says why. line: in the file."""

    id: str
    score: float | None
    raw: str
    model: str
    line: int
    reason: str = ""


@dataclass(frozen=True)
class Header:
    """The optional first line. labels: from worst to best, worth 0, 1, ... scale: the lowest and
    the highest valid score."""

    labels: tuple[str, ...] = DEFAULT_LABELS
    scale: tuple[float, float] | None = None


@dataclass
class JudgeAnswers:
    """The answers of a file in its order; a candidate with several was asked repeatedly."""

    file: str
    header: Header
    answers: list[ReadJudgeAnswer] = field(default_factory=list)


def read_judge_answers(path: str | Path, *, limits: Limits | None = None) -> JudgeAnswers:
    """Read a file of answers.

    A first line without `id` is the header: `labels`, the labels from worst to best (`incorrect`,
    `correct` by default; compared without regard to case and outer spaces), and `scale`, [lowest,
    highest]. An answer is invalid, and has no score, if its value is null, a label that the header
    does not have, or outside of the scale. Raises FormatError with every problem: a line without
    an id or a value, a score that is no finite number, labels beside scores, several models (their
    scores are not comparable), and a file without a valid answer.
    """
    path, limits, problems = Path(path), limits or Limits(), Problems()
    try:
        (file,) = open_files([path], limits)
        reader = _AnswerReader(file.name, problems, limits)
        for line, row in file.objects(problems):
            reader.add(line, row)
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    return reader.finish()


class _AnswerReader:
    def __init__(self, file: str, problems: Problems, limits: Limits) -> None:
        self._problems, self._limits = problems, limits
        self._result = JudgeAnswers(file, Header())
        self._codes = _codes(DEFAULT_LABELS)
        self._value = ""
        self._models: dict[str, int] = {}
        self._is_first = True

    def add(self, line: int, row: dict[str, Any]) -> None:
        is_first, self._is_first = self._is_first, False
        if is_first and "id" not in row and row.keys() & {"labels", "scale"}:
            self._read_header(line, row)
            return
        if len(self._result.answers) >= self._limits.max_rows:
            message = f"more than {self._limits.max_rows:,} answers"
            raise self._problems.fatal(self._result.file, line, None, message)
        key = row.get("id")
        if type(key) is not str:
            message = f"is {json_type(key)}; a string is expected" if "id" in row else "is missing"
            self._fault(line, "id", message)
            return
        if fault := text_fault(key, self._limits.max_name_chars):
            self._fault(line, "id", fault)
            return
        score, reason = self._score(line, row)
        raw, model = (
            self._text(line, row, "raw", MAX_RAW),
            self._text(line, row, "model", MAX_MODEL),
        )
        if model:
            self._models.setdefault(model, line)
        self._result.answers.append(ReadJudgeAnswer(key, score, raw, model, line, reason))

    def finish(self) -> JudgeAnswers:
        answers = self._result.answers
        if len(self._models) > 1:
            message = (
                f"names several models, {quote_names(sorted(self._models))}: their scores are not "
                "comparable. Write a file for each"
            )
            self._problems.add(self._result.file, None, "model", message)
        self._problems.raise_if_any()
        if all(answer.score is None for answer in answers):
            message = f"has no valid answer: {answers[0].reason}" if answers else "has no answers"
            raise self._problems.fatal(self._result.file, None, None, message)
        return self._result

    def _read_header(self, line: int, row: dict[str, Any]) -> None:
        header = Header()
        if "labels" in row:
            names = row["labels"] if type(row["labels"]) is list else []
            texts = [text for text in map(category, names) if text and len(text) <= MAX_LABEL]
            is_valid = 2 <= len(texts) <= MAX_LABELS and len(texts) == len(names)
            if not is_valid or len(_codes(texts)) != len(texts):
                message = f"2 to {MAX_LABELS} different labels are expected, from worst to best"
                self._fault(line, "labels", message)
                return
            header = replace(header, labels=tuple(texts))
        if "scale" in row:
            ends = row["scale"] if type(row["scale"]) is list else []
            numbers = [end for end in map(parse_number, ends) if isinstance(end, float)]
            if len(numbers) != 2 or len(ends) != 2 or numbers[0] >= numbers[1]:
                message = "[lowest, highest] is expected"
                self._fault(line, "scale", message)
                return
            header = replace(header, scale=(numbers[0], numbers[1]))
        self._codes = _codes(header.labels)
        self._result.header = header

    def _score(self, line: int, row: dict[str, Any]) -> tuple[float | None, str]:
        """(score, why the answer is invalid). A line of `concord judge` has both a label, which the
        model wrote, and `scores`, which count."""
        name = next((name for name in reversed(_VALUES) if name in row), "")
        if name == "label" and "score" in row:
            name = ""
        if not name:
            self._fault(line, None, "has no score or label, or both; one of them is expected")
            return None, ""
        self._value = self._value or name
        if name != self._value:
            message = f"has a {name}, and lines before have a {self._value}"
            self._fault(line, name, message)
        value = row[name]
        if name == "scores":
            if type(value) is not dict or len(value) != 1:
                self._fault(line, name, "the score of one judge is expected: {name: number}")
                return None, ""
            (value,) = value.values()
        if value is None:
            return None, self._text(line, row, "invalid", MAX_RAW) or "no answer"
        return self._label(line, value) if name == "label" else self._number(line, name, value)

    def _label(self, line: int, value: object) -> tuple[float | None, str]:
        text = category(value)
        if text is None:
            self._fault(line, "label", f"is {json_type(value)}; text is expected")
            return None, ""
        code = self._codes.get(label_key(text))
        if code is None:
            known = quote_names(list(self._result.header.labels))
            return None, f"{quote(text)} is not one of the labels {known}"
        return float(code), ""

    def _number(self, line: int, name: str, value: object) -> tuple[float | None, str]:
        number = parse_number(value)
        if isinstance(number, str):
            self._fault(line, name, number)
            return None, ""
        scale = self._result.header.scale
        if scale is not None and not scale[0] <= number <= scale[1]:
            return None, f"{number:g} is not from {scale[0]:g} to {scale[1]:g}"
        return number, ""

    def _text(self, line: int, row: dict[str, Any], name: str, limit: int) -> str:
        value = row.get(name)
        if value is None:
            return ""
        if type(value) is not str:
            self._fault(line, name, f"is {json_type(value)}; a string is expected")
            return ""
        if fault := text_fault(value, limit):
            self._fault(line, name, fault)
            return ""
        return value

    def _fault(self, line: int, field: str | None, message: str) -> None:
        self._problems.add(self._result.file, line, field, message)


def _codes(labels: Sequence[str]) -> dict[str, int]:
    return {label_key(label): code for code, label in enumerate(labels)}


def by_candidate(answers: Sequence[ReadJudgeAnswer]) -> Iterator[tuple[str, list[ReadJudgeAnswer]]]:
    """The answers about each candidate, in the order of the candidates' first answers."""
    groups: dict[str, list[ReadJudgeAnswer]] = {}
    for answer in answers:
        groups.setdefault(answer.id, []).append(answer)
    yield from groups.items()
