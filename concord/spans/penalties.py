"""Scores from error spans: each error costs points by its severity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from concord.formats.numbers import read_number
from concord.formats.records import CRITICAL, MAJOR, MINOR, Span


@dataclass(frozen=True)
class Weights:
    """What an error costs. punctuation: a minor error of a category that names punctuation.

    The defaults are those of MQM as the WMT metrics tasks use it (Freitag and others 2021), with
    10 for critical errors. Raises ValueError for a weight below zero.
    """

    minor: float = 1.0
    major: float = 5.0
    critical: float = 10.0
    punctuation: float = 0.1

    def __post_init__(self) -> None:
        for field in fields(self):
            if not 0 <= getattr(self, field.name) < float("inf"):
                raise ValueError(f"the weight {field.name} must be a number of 0 or more")

    @classmethod
    def parse(cls, text: str) -> Weights:
        """Weights such as "minor=1,major=5"; the others have their defaults. Raises ValueError."""
        names = [field.name for field in fields(cls)]
        values: dict[str, float] = {}
        for part in filter(None, text.split(",")):
            name, _, value = part.partition("=")
            if name not in names or name in values:
                raise ValueError(f"'{part}' is no weight: write each of {', '.join(names)} once")
            number = read_number(value)
            if isinstance(number, str):
                raise ValueError(f"'{part}': the weight {number}")
            values[name] = number
        return cls(**values)

    @property
    def text(self) -> str:
        """What `parse` reads, with all weights in their order."""
        return ",".join(f"{field.name}={getattr(self, field.name):.12g}" for field in fields(self))

    @property
    def signature(self) -> str:
        """What pins a score, such as "mqm|minor:1|major:5|critical:10|punctuation:0.1"."""
        parts = [f"{field.name}:{getattr(self, field.name):g}" for field in fields(self)]
        return "|".join(["mqm", *parts])

    def of(self, span: Span) -> float:
        """What one error costs. Raises ValueError where its severity is undecided."""
        if span.severity == CRITICAL:
            return self.critical
        if span.severity == MAJOR:
            return self.major
        if span.severity == MINOR:
            is_punctuation = any("punctuation" in name.lower() for name in span.categories)
            return self.punctuation if is_punctuation else self.minor
        raise ValueError("the severity of an error is undecided")


def mqm_score(spans: Iterable[Span], weights: Weights) -> float | None:
    """The negative sum of the errors' weights: 0 without errors, higher is better.

    None where the severity of an error is undecided: it is not guessed.
    """
    spans = list(spans)
    if any(span.severity is None for span in spans):
        return None
    return -sum(map(weights.of, spans)) + 0.0
