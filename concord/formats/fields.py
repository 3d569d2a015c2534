"""Typed access to the fields of a JSON object; faults are collected with their location."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from concord.formats.errors import Problems, quote, quote_names
from concord.formats.limits import MAX_MAGNITUDE, Limits
from concord.formats.numbers import read_number

_KINDS = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


def json_type(value: object) -> str:
    """The type of a JSON value in words."""
    return _KINDS.get(type(value), type(value).__name__)


def storage_fault(text: str) -> str | None:
    """Why a database cannot store a text (NUL, half of a surrogate pair); None if it can."""
    if "\0" in text:
        return "contains a NUL character (U+0000)"
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            code = ord(text[error.start])
            return f"contains half of a surrogate pair (U+{code:04X}), which is not a character"
    return None


def text_fault(text: str, limit: int) -> str | None:
    """Why a text is rejected; None if it is valid."""
    if len(text) > limit:
        return f"has {len(text):,} characters; at most {limit:,} are allowed"
    return storage_fault(text)


def are_sound(texts: Sequence[str], limit: int) -> bool:
    """Whether no text has a `text_fault`."""
    return max(map(len, texts), default=0) <= limit and not storage_fault("".join(texts))


def parse_number(value: object) -> float | str:
    """A JSON number as a float, or the message of its fault. A number in quotation marks is none;
    the fault of another text is that of `read_number`."""
    if type(value) is float:
        return _computable(value)
    if type(value) is int:
        try:
            return _computable(float(value))
        except OverflowError:
            return "is too large a number"
    if isinstance(value, str):
        fault = read_number(value)
        return fault if isinstance(fault, str) else f"is {quote(value)}; a number is expected"
    return f"is {json_type(value)}; a number is expected"


def number_in(value: object) -> float | str:
    """As `parse_number`, and also the number that a text is (`read_number`): in the files of tools
    that write numbers as texts."""
    if not isinstance(value, str):
        return parse_number(value)
    number = read_number(value)
    return number if isinstance(number, str) else _computable(number)


def _computable(number: float) -> float | str:
    """The number, or why nothing is computed with it."""
    if abs(number) <= MAX_MAGNITUDE:
        return number
    if not math.isfinite(number):
        return f"is {number}; a finite number is expected"
    return f"is {number:g}; numbers from -{MAX_MAGNITUDE:g} to {MAX_MAGNITUDE:g} are allowed"


def scale_fault(value: float, scale: tuple[float, float]) -> str | None:
    """Why a value is not on a scale; None if it is."""
    if scale[0] <= value <= scale[1]:
        return None
    return f"{value:g} is outside the scale from {scale[0]:g} to {scale[1]:g}"


class Fields:
    """The fields of one object at `file`:`line`, under the JSON path `prefix`.

    A getter always returns a value of its type. It adds a fault to `problems` and counts it in
    `faults`, so a reader can read the whole object and then check `faults` once.
    """

    __slots__ = ("data", "faults", "file", "limits", "line", "prefix", "problems")

    def __init__(
        self,
        data: dict[str, Any],
        problems: Problems,
        limits: Limits,
        file: str,
        line: int | None = None,
        prefix: str = "",
    ) -> None:
        self.data = data
        self.problems = problems
        self.limits = limits
        self.file = file
        self.line = line
        self.prefix = prefix
        self.faults = 0

    def fault(self, field: str, message: str) -> None:
        """Add a problem of one field."""
        self.faults += 1
        self.problems.add(self.file, self.line, self.prefix + field, message)

    def nested(self, data: dict[str, Any], path: str) -> Fields:
        """The fields of a nested object."""
        return Fields(data, self.problems, self.limits, self.file, self.line, self.prefix + path)

    def reject_unknown(self, allowed: frozenset[str]) -> None:
        """Add a problem for each field that is not in `allowed`."""
        if self.data.keys() <= allowed:
            return
        for name in self.data.keys() - allowed:
            self.fault(quote(name), f"unknown field; allowed: {quote_names(sorted(allowed))}")

    def _missing(self, name: str, expected: str) -> None:
        state = "is null" if name in self.data else "is missing"
        self.fault(name, f"{state}; {expected} is expected")

    def text(self, name: str, *, required: bool = False, limit: int | None = None) -> str:
        """A string; "" where it is optional and absent or null."""
        value = self.data.get(name)
        if type(value) is str:
            reason = text_fault(value, limit or self.limits.max_field_chars)
            if reason is None:
                return value
            self.fault(name, reason)
        elif value is not None:
            self.fault(name, f"is {json_type(value)}; a string is expected")
        elif required:
            self._missing(name, "a string")
        return ""

    def name(self, name: str, *, required: bool = False) -> str:
        """A short string: an id, a system, a worker. A required one may not be empty."""
        value = self.text(name, required=required, limit=self.limits.max_name_chars)
        if required and not value and self.data.get(name) == "":
            self.fault(name, "is empty")
        return value

    def number(self, name: str, *, required: bool = False) -> float | None:
        """A finite number; None where it is absent, null or invalid. Booleans are invalid."""
        value = self.data.get(name)
        if value is None:
            if required:
                self._missing(name, "a number")
            return None
        number = parse_number(value)
        if isinstance(number, str):
            self.fault(name, number)
            return None
        return number

    def flag(self, name: str) -> bool:
        """True or false; False when absent or null."""
        value = self.data.get(name)
        if value is not None and type(value) is not bool:
            self.fault(name, f"is {json_type(value)}; true or false is expected")
        return value is True

    def objects(self, name: str, *, required: bool = False) -> list[Fields]:
        """A list of objects; an item of another type is a fault."""
        value = self.data.get(name)
        if value is None:
            if required:
                self._missing(name, "a list of objects")
            return []
        if type(value) is not list:
            self.fault(name, f"is {json_type(value)}; a list of objects is expected")
            return []
        inner = []
        for position, item in enumerate(value):
            if type(item) is dict:
                inner.append(self.nested(item, f"{name}[{position}]."))
            else:
                self.fault(f"{name}[{position}]", f"is {json_type(item)}; an object is expected")
        return inner

    def values_by_name(self, name: str) -> dict[str, Any]:
        """An object with any values, without nulls; empty where it is absent or null."""
        value = self.data.get(name)
        if value is None:
            return {}
        if type(value) is not dict:
            self.fault(name, f"is {json_type(value)}; an object is expected")
            return {}
        return {key: item for key, item in value.items() if item is not None}

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings; empty where it is absent or null."""
        value = self.data.get(name)
        if value is None:
            return ()
        if type(value) is not list:
            self.fault(name, f"is {json_type(value)}; a list of strings is expected")
            return ()
        return tuple(self._item(name, position, item) for position, item in enumerate(value))

    def references(self, name: str) -> tuple[str, ...]:
        """A string, or a list of at least one."""
        value = self.data.get(name)
        if type(value) is str:
            value = [value]
        if value is None:
            self._missing(name, "a list of strings")
        elif type(value) is not list:
            self.fault(name, f"is {json_type(value)}; a list of strings is expected")
        elif not value:
            self.fault(name, "is empty; at least one reference is expected")
        elif len(value) > self.limits.max_references:
            self.fault(
                name,
                f"{len(value):,} references; at most {self.limits.max_references:,} are allowed",
            )
        else:
            return tuple(self._item(name, position, item) for position, item in enumerate(value))
        return ()

    def _item(self, name: str, position: int, item: object) -> str:
        if type(item) is not str:
            self.fault(f"{name}[{position}]", f"is {json_type(item)}; a string is expected")
            return ""
        reason = text_fault(item, self.limits.max_field_chars)
        if reason is not None:
            self.fault(f"{name}[{position}]", reason)
        return item


def pair_fault(score1: float, score2: float) -> str | None:
    """Why these are not the scores of a minimal pair, whose first is above the second; None if they
    are."""
    return None if score1 > score2 else f"{score1:g} is not above score2 ({score2:g})"
