"""What people enter in quality control, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal

from concord.bounds import REQUIRED, Text, choice, described, flag, number, text
from concord.filtering.ledger import STEPS
from concord.protocols.criteria import NAME_CHARS

KEY, WORKER = Text(1000, REQUIRED, exact=True), Text(100)
REASON, NOTE = Text(1000), Text(1000)
CRITERION = Text(NAME_CHARS)
WHICH_QUESTION = described(CRITERION, help="Name of the criterion; empty: the main question.")


@dataclass(frozen=True, slots=True)
class StepInput:
    """A step. The kind decides which fields apply."""

    kind: str = field(metadata=choice(tuple(STEPS)))
    threshold: float = field(default=1, metadata=number(-inf, inf, label="Threshold"))
    at_most: int = field(
        default=5,
        metadata=number(1, 1000, label="Max. removed per candidate"),
    )
    ddof: int = field(default=0, metadata=number(-inf, inf))
    one_sided: bool = field(
        default=False,
        metadata=flag(label="One-sided: remove only ratings that are too high"),
    )
    by: str = field(default="", metadata=text(40, required=REQUIRED))
    at_least: int = field(default=2, metadata=number(-inf, inf))
    seconds: float = field(default=0, metadata=number(-inf, inf))
    worker: str = field(default="", metadata=described(WORKER, "Worker"))
    unit: str = field(default="", metadata=described(KEY, "Candidate"))
    reason: str = field(default="", metadata=described(REASON, "Reason"))
    note: str = field(default="", metadata=described(NOTE, "Note"))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a worker is excluded."""

    reason: str = field(
        metadata=text(
            REASON.max_chars,
            required="enter a reason: the worker reads it",
            label="Reason",
            help="The worker reads this text word for word, and may appeal.",
        )
    )


@dataclass(frozen=True, slots=True)
class AdjudicatedValue:
    """The value that replaces a candidate's aggregate."""

    value: float = field(metadata=number(-1e6, 1e6, label="Value"))
    criterion: str = field(default="", metadata=WHICH_QUESTION)
    note: str = field(default="", metadata=text(5000, label="Note"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a rating that was selected for a spot check."""

    verdict: Literal["good", "poor"]


@dataclass(frozen=True, slots=True)
class MessageAnswer:
    """The answer to a worker's message."""

    answer: str = field(
        metadata=text(10_000, required="write an answer first", multiline=True, label="Answer")
    )
    readmit: bool = field(
        default=False,
        metadata=flag("For an appeal: readmit the worker.", label="Readmit the worker"),
    )
