"""What people enter about crowds, on pages and in the API, besides the offer itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from decimal import Decimal

from annotation.crowds.providers.offer import Offer
from annotation.studies.models import Stage
from concord.bounds import REQUIRED, Number, Text, choice, described, number, text

# The most that a publication may cost, in cents.
BUDGET = Number(0, 10**9, unit="cents")
FEEDBACK = Text(1024)
MESSAGE = "The message to the worker."
GROUNDS: dict[str, str] = {
    "not done": "ratings are missing or empty",
    "not read": "rated without reading: failed hidden checks, or far too fast",
    "not own": "the work of another person or a program",
    "disagreement": "disagreement with other raters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedOffer(Offer):
    """The offer to workers. The crowd page shows which fields a provider has."""

    stage: str = field(metadata=choice(Stage.Kind.values, label="Stage"))
    budget: str | None = field(
        default=None,
        metadata=number(0, BUDGET.maximum // 100, label="Budget in dollars", help="Dollars."),
    )
    environment: str = field(default="", metadata=text(40, required=REQUIRED, label="Environment"))
    endpoint: str = field(
        default="",
        metadata=text(
            300,
            format="url",
            label="URL of another service",
            help="A service with the same API. Its host must be in OUTGOING_ALLOWED_HOSTS or on "
            "the page Crowd accounts.",
        ),
    )
    panel: str = field(
        default="", metadata=text(30, pattern=r"^[A-Za-z0-9 ._-]*$", label="Panel name")
    )

    def offer(self) -> Offer:
        return Offer(**{one.name: getattr(self, one.name) for one in fields(Offer)})

    @property
    def budget_cents(self) -> int | None:
        return None if self.budget is None else int(Decimal(self.budget).scaleb(2))


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that a publication may cost: rewards, bonuses and fees together."""

    cents: int | None = field(metadata=described(BUDGET, "Budget in dollars", "Null for no limit."))


@dataclass(frozen=True, slots=True)
class Approval:
    """The approval of a submission."""

    feedback: str = field(default="", metadata=described(FEEDBACK, "Feedback"))


@dataclass(frozen=True, slots=True)
class Rejection:
    """The rejection of a submission: one of the grounds, and what the worker reads."""

    ground: str = field(metadata=choice(GROUNDS, label="Reason"))
    feedback: str = field(
        metadata=text(
            FEEDBACK.max_chars,
            required=REQUIRED,
            multiline=True,
            label="Message to the worker",
            help=MESSAGE,
        )
    )


@dataclass(frozen=True, slots=True)
class Bonus:
    """A bonus for a submission, and what the worker reads with it."""

    cents: int = field(metadata=number(1, 1_000_000, unit="cents", label="Dollars"))
    reason: str = field(
        metadata=text(1000, required=REQUIRED, label="Reason shown to the worker", help=MESSAGE)
    )
