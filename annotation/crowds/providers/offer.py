"""The offer to workers of a crowd. No Django. `validated` checks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from concord.bounds import (
    REQUIRED,
    find_problems,
    flag,
    normalize,
    number,
    text,
)


class OfferError(ValueError):
    """An invalid offer. `problems` maps a field to a sentence for people."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        self.problems = dict(problems)
        super().__init__("; ".join(f"{name}: {text}" for name, text in self.problems.items()))


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer to workers.

    title, description, keywords: shown to workers. split: ask for at most nine workers in one
    listing, for MTurk's lower fee. masters: only MTurk's Masters. worker_origin: origin of the
    worker pages of another MTurk-compatible service. queue: URL of the SQS queue for notifications.
    tasks_each: number of tasks in a session, on platforms with sessions. fee_percent: the fee of
    such a platform. id_parameter: the URL parameter in which a panel sends its worker's id.
    return_url: where a panel's worker is sent at the end; `{code}` is the completion code.
    pay_per_task: whether a person of a link is paid for each task, and not for the session.
    reject_for_disagreement: whether disagreement with other raters is a reason to reject; better
    left off. only_passed: ask only workers who passed the test of an earlier publication of the
    study. test_places: how many workers a paid qualification test is offered to.
    """

    title: str = field(metadata=text(128, required=REQUIRED, label="Title shown to workers"))
    description: str = field(
        metadata=text(2000, required=REQUIRED, multiline=True, label="Description")
    )
    keywords: str = field(
        default="rating, question answering, research", metadata=text(1000, label="Keywords")
    )
    lifetime_hours: int = field(
        default=168, metadata=number(1, 365 * 24, label="Hours until the listing expires")
    )
    auto_approval_hours: int = field(
        default=72, metadata=number(0, 30 * 24, label="Hours until automatic approval")
    )
    split: bool = field(
        default=True,
        metadata=flag(label="Split HITs into parts of at most nine assignments (lower fee)"),
    )
    masters: bool = field(default=False, metadata=flag(label="Masters only (5% more)"))
    frame_height: int = field(default=0, metadata=number(0, 100_000))
    worker_origin: str = field(
        default="", metadata=text(300, format="url", label="URL of its worker pages")
    )
    queue: str = field(
        default="",
        metadata=text(
            300,
            format="url",
            label="URL of an SQS queue",
            help="Optional. MTurk sends notifications to it.",
        ),
    )
    tasks_each: int = field(default=5, metadata=number(1, 1000, label="Tasks per session"))
    fee_percent: str = field(
        default="0",
        metadata=number(
            0,
            200,
            label="Platform fee in percent",
            help="Percentage of the workers' pay that your account is charged.",
        ),
    )
    id_parameter: str = field(
        default="worker",
        metadata=text(
            60,
            required=REQUIRED,
            pattern=r"^[A-Za-z0-9_.-]+$",
            label="URL parameter with the worker's id",
            help="In the link that the panel opens.",
        ),
    )
    return_url: str = field(
        default="",
        metadata=text(
            500,
            label="Return URL",
            help="Workers are sent there at the end. {code} is replaced by the completion code.",
        ),
    )
    pay_per_task: bool = field(
        default=False,
        metadata=flag(
            label="Pay for the tasks that a person completed, and not for a whole session"
        ),
    )
    reject_for_disagreement: bool = field(
        default=False,
        metadata=flag(
            label="Allow rejection for disagreement with other raters (state it in the "
            "instructions)"
        ),
    )
    only_passed: bool = field(
        default=False,
        metadata=flag(
            label="Only workers who passed the qualification test of an earlier publication"
        ),
    )
    test_places: int = field(
        default=50,
        metadata=number(
            1,
            10_000,
            label="Workers who take a paid test",
            help="Only where the qualification stage is published, as a paid task.",
        ),
    )

    def validated(self) -> Offer:
        """Return the normalised offer. Raises OfferError listing every invalid field."""
        normal: Offer = normalize(self)
        if faults := find_problems(normal):
            raise OfferError(faults)
        return normal

    def to_json(self) -> dict[str, object]:
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Offer:  # the values of fields
        return cls(**content)
