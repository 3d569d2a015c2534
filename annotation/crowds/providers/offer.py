"""The offer to workers of a crowd. No Django. `validated` checks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from concord.bounds import Number, Text, find_problems, items, normalize, number, text

QUESTIONS = ("external", "html")
REQUIRED_MESSAGE = "must not be empty"
FEE_PERCENT = Number(0, 200)
# Bounds of a publication's budget and of one bonus, in cents.
BUDGET, BONUS = Number(0, 10**9), Number(1, 1_000_000)
# Bounds of the messages to a worker: with a decision, and with a bonus.
FEEDBACK, BONUS_REASON = Text(1024), Text(1000)
# Bounds of the URL of another service with MTurk's API, and of a panel's name.
ENDPOINT, PANEL = Text(300), Text(30)


class OfferError(ValueError):
    """An invalid offer. `problems` maps a field to a sentence for people."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.problems.items()))


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer to workers.

    title, description, keywords: shown to workers. question: `external` shows Concord's rating
    page, `html` a self-contained page. split: ask for at most nine workers in one listing, for
    MTurk's lower fee. masters: only MTurk's Masters. worker_origin: origin of the worker pages of
    another MTurk-compatible service. queue: URL of the SQS queue for notifications. tasks_each:
    number of tasks in a session, on platforms with sessions. fee_percent: the fee of such a
    platform. id_parameter: the URL parameter in which a panel sends its worker's id. return_url:
    where a panel's worker is sent at the end; `{code}` is the completion code.
    reject_for_disagreement: whether disagreement with other raters is a reason to reject; better
    left off. only_passed: ask only workers who passed the test of an earlier publication of the
    study. test_places: how many workers a paid qualification test is offered to.
    """

    title: str = field(metadata=text(128, required=REQUIRED_MESSAGE))
    description: str = field(metadata=text(2000, required=REQUIRED_MESSAGE, multiline=True))
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
    test_places: int = field(default=50, metadata=number(1, 10_000))

    def validated(self) -> Offer:
        """Return the normalised offer. Raises OfferError listing every invalid field."""
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
    def from_json(cls, content: Mapping[str, Any]) -> Offer:
        values = dict(content)
        values["invited"] = tuple(values.get("invited", ()))
        return cls(**values)


def _number(text: str) -> Decimal:
    """Parse a decimal number; -1 if the text is not a finite number."""
    try:
        number = Decimal(text)
    except ArithmeticError:
        return Decimal(-1)
    return number if number.is_finite() else Decimal(-1)
