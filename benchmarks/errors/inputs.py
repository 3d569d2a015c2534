"""What people choose about disagreements, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from benchmarks.sets.bounds import GROUP_NAME
from concord.bounds import Number, choice, described, number

ROW = Number(1, 2**62)
LABEL = described(GROUP_NAME)
RUN = described(ROW, help="A complete metric run.")
OTHER_RUN = described(ROW, help="Another complete run, instead of people.")


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that candidates must have; an empty one allows all."""

    constituent: str = field(default="", metadata=LABEL)
    system: str = field(default="", metadata=LABEL)
    category: str = field(default="", metadata=LABEL)
    split: str = field(default="", metadata=LABEL)
    type: str = field(default="", metadata=LABEL)
    length: str = field(default="", metadata=LABEL)
    references: str = field(default="", metadata=LABEL)


LABELS = tuple(Labels.__dataclass_fields__)
# The labels that single candidates have.
OF_CANDIDATES = ("constituent", "system", "category", "split")


@dataclass(frozen=True, slots=True, kw_only=True)
class DisagreementOptions(Labels):
    """The two sides of disagreements, a metric and people or another metric, and how many."""

    run: int = field(metadata=RUN)
    other: int | None = field(default=None, metadata=OTHER_RUN)
    count: int = field(default=20, metadata=number(1, 100))
    compare: Literal["rank", "score"] = field(
        default="rank",
        metadata=choice(("rank", "score"), help="score: compare the scores themselves."),
    )
    phenomenon: str = field(
        default="",
        metadata=described(GROUP_NAME, help="Restricts the lost pairs; by default all."),
    )
