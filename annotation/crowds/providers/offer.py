"""What workers are offered, and how it is put before them: pure, checked at the door."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

TITLE_CHARS, DESCRIPTION_CHARS, KEYWORDS_CHARS = 128, 2000, 1000
QUESTIONS = ("external", "html")
MOST_FEE_PERCENT = 200


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

    title: str
    description: str
    keywords: str = "rating, question answering, research"
    lifetime_hours: int = 168
    auto_approval_hours: int = 72
    question: str = "external"
    split: bool = True
    masters: bool = False
    frame_height: int = 0
    worker_origin: str = ""
    queue: str = ""
    tasks_each: int = 5
    fee_percent: str = "0"
    id_parameter: str = "worker"
    return_url: str = ""
    invited: tuple[str, ...] = ()
    reject_for_disagreement: bool = False
    only_passed: bool = False

    def validated(self) -> Offer:
        """This offer, when it can be made; raises OfferError naming every fault."""
        problems = {}
        for name, most in (
            ("title", TITLE_CHARS),
            ("description", DESCRIPTION_CHARS),
            ("keywords", KEYWORDS_CHARS),
        ):
            text = getattr(self, name)
            if not text.strip() and name != "keywords":
                problems[name] = "say what is asked"
            elif len(text) > most:
                problems[name] = f"has {len(text):,} characters, more than {most:,}"
        if self.question not in QUESTIONS:
            problems["question"] = f"one of {', '.join(QUESTIONS)}"
        if not 1 <= self.lifetime_hours <= 365 * 24:
            problems["lifetime_hours"] = "one hour to one year"
        if not 0 <= self.auto_approval_hours <= 30 * 24:
            problems["auto_approval_hours"] = "none to thirty days"
        if not 1 <= self.tasks_each <= 1000:
            problems["tasks_each"] = "one to a thousand"
        if not 0 <= _number(self.fee_percent) <= MOST_FEE_PERCENT:
            problems["fee_percent"] = f"0 to {MOST_FEE_PERCENT}"
        if problems:
            raise OfferError(problems)
        return self

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
