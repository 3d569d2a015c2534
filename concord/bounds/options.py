"""Options of commands with the bounds of dataclass fields, for argparse."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from contextlib import suppress
from functools import partial
from typing import Any

from concord.bounds.metadata import BoundedField, bounded_fields, choices_of
from concord.bounds.validation import find_value_problems


def add_options(parser: ArgumentParser, kind: type, *names: str) -> None:
    """Add an option `--some-name` for each of these fields of the dataclass `kind`.

    Types, bounds, names to choose from, defaults and descriptions are those of the fields. A
    boolean field is a switch that turns it on. Raises KeyError for an unknown name.
    """
    fields = {one.name: one for one in bounded_fields(kind)}
    for name in names:
        one = fields[name]
        options: dict[str, Any] = {"help": _help(one)}
        if one.type is bool:
            options["action"] = "store_true"
        elif one.is_required:
            options["required"] = True
        else:
            options["default"] = one.default
        if (choices := choices_of(one.type, one.bound)) is not None:
            options["choices"] = [choice for choice, _ in choices]
        elif one.type is not bool:
            options["type"] = partial(_parse, one)
        parser.add_argument(f"--{name.replace('_', '-')}", **options)


def _parse(one: BoundedField, text: str) -> Any:
    """The value of an option. Raises ArgumentTypeError for one out of bounds."""
    value: Any = text
    if text == one.default:  # argparse parses the default, too
        return text
    if one.type in (int, float):
        with suppress(ValueError):  # a text is out of every bound of numbers
            value = one.type(text)
    for problem in find_value_problems(value, one.type, one.bound):
        raise ArgumentTypeError(problem)
    return value


def _help(one: BoundedField) -> str:
    """The description, or else the label, in the manner of command lines."""
    text = (one.help or one.label).rstrip(".")
    start = text[:1] if text[1:2].isupper() else text[:1].lower()
    return f"{start}{text[1:]}".replace("%", "%%")
