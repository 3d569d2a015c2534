"""What workers are offered, and how it is put before them. No Django; checked by `validated`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from concord.bounds import Number, Text, find_problems, items, normalize, number, text

QUESTIONS = ("external", "html")
UNSAID = "say what is asked"
FEE_PERCENT = Number(0, 200)
# In cents: of a publication, and of one bonus.
BUDGET, BONUS = Number(0, 10**9), Number(1, 1_000_000)
# What a worker reads of a decision, and with a bonus.
FEEDBACK, BONUS_REASON = Text(1024), Text(1000)
# Of another service that speaks MTurk's API; of a panel.
ENDPOINT, PANEL = Text(300), Text(30)


class OfferError(ValueError):
    """An offer that cannot be made. `problems` maps a field to a sentence for people."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.problems.items()))


@dataclass(frozen=True, slots=True)
class Offer:
    """title, description, keywords: as workers find it.

    question: `external` shows Concord's own rating page, `html` a page that needs no server.
    split: ask for nine workers at most in one listing, for the lower fee.
    masters: only MTurk's Masters. worker_origin: where an own MTurk-compatible service shows its
    pages. queue: address of the SQS queue that notifies. tasks_each: how many tasks one place of
    a session-based platform stands for. fee_percent: what such a platform adds. id_parameter:
    in which parameter a panel sends its worker's id. return_url: where a panel's worker goes at
    the end, `{code}` being the completion code. reject_for_disagreement: off, and better so.
    only_passed: ask only those who passed the test in what was listed of the study before.
    """

    title: str = field(metadata=text(128, required=UNSAID))
    description: str = field(metadata=text(2000, required=UNSAID, multiline=True))
    keywords: str = field(default="rating, question answering, research", metadata=text(1000))
    lifetime_hours: int = field(default=168, metadata=number(1, 365 * 24))
    auto_approval_hours: int = field(default=72, metadata=number(0, 30 * 24))
    question: str = field(default="external", metadata=text(40))
    split: bool = True
    masters: bool = False
    frame_height: int = field(default=0, metadata=number(0, 100_000))
    worker_origin: str = field(default="", metadata=text(300))
    queue: str = field(default="", metadata=text(300))
    tasks_each: int = field(default=5, metadata=number(1, 1000))
    fee_percent: str = field(default="0", metadata=text(40))
    id_parameter: str = field(default="worker", metadata=text(60))
    return_url: str = field(default="", metadata=text(500))
    invited: tuple[str, ...] = field(default=(), metadata=items(10_000, each=Text(200)))
    reject_for_disagreement: bool = False
    only_passed: bool = False

    def validated(self) -> Offer:
        """This offer in its normal form, when it can be made; raises OfferError naming every
        fault."""
        normal: Offer = normalize(self)
        faults = find_problems(normal)
        if normal.question not in QUESTIONS:
            faults["question"] = f"must be one of {', '.join(QUESTIONS)}"
        if not FEE_PERCENT.minimum <= _number(normal.fee_percent) <= FEE_PERCENT.maximum:
            faults["fee_percent"] = f"must be a number from 0 to {FEE_PERCENT.maximum}"
        if faults:
            raise OfferError(faults)
        return normal

    def to_json(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Offer:
        values = dict(given)
        values["invited"] = tuple(values.get("invited", ()))
        return cls(**values)


def _number(text: str) -> Decimal:
    """What a text says; below zero for what is no number."""
    try:
        found = Decimal(text)
    except ArithmeticError:
        return Decimal(-1)
    return found if found.is_finite() else Decimal(-1)
