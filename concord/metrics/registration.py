"""Registration of a metric: its name, its options, and how to build it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from concord.metrics.metric import Metric, MetricSpec


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a metric: its default, and how to parse and write its values.

    `parse` converts the text after "=" to a value. It raises ValueError, with a message that says
    what is allowed. `write` converts the value to canonical text. `help` explains the option in
    one line. `default_of`, if there is one, gives the default where other options, which it gets,
    have other values than their defaults.
    """

    default: Any
    parse: Callable[[str], Any]
    write: Callable[[Any], str] = str
    help: str = ""
    default_of: Callable[[Mapping[str, Any]], Any] | None = None


@dataclass(frozen=True, slots=True)
class Registration:
    """A metric's entry in the registry."""

    name: str
    build: Callable[[MetricSpec], Metric]
    options: Mapping[str, Option] = field(default_factory=dict)


def choice(default: str, *others: str, help: str = "") -> Option:
    """An option with a fixed list of allowed values."""
    allowed = (default, *others)

    def parse(text: str) -> str:
        if text not in allowed:
            raise ValueError(f"must be one of {', '.join(allowed)}, not {text!r}")
        return text

    return Option(default=default, parse=parse, help=help)


def switch(default: bool, help: str = "") -> Option:
    """An option that is true or false."""

    def parse(text: str) -> bool:
        if text not in ("true", "false"):
            raise ValueError(f"must be true or false, not {text!r}")
        return text == "true"

    return Option(default, parse, lambda value: str(value).lower(), help)
