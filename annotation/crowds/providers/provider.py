"""What every crowd platform can be asked, and how it answers. Pure: no database.

A provider's methods make at most one change at the platform each. Those that create or spend take
a `token`: the same token means the same deed. `again` says that an earlier try may have got
through; the provider then looks for its deed before it does it (tokens are forgotten, and some
platforms take none).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from ipaddress import ip_address
from typing import ClassVar, TypedDict
from urllib.parse import urlsplit

from annotation.crowds.providers.money import Lot, Price
from annotation.crowds.providers.offer import Offer


class CrowdError(Exception):
    """What a platform refused, or could not do. `permanent`: a person must see to it first;
    otherwise it is tried again later. The message says what to do."""

    def __init__(self, message: str, *, permanent: bool = True) -> None:
        super().__init__(message)
        self.permanent = permanent


class CrowdBusyError(CrowdError):
    """Asked too fast, or the platform is away for a moment: wait and ask again."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=False)


class AccountError(CrowdError):
    """Nothing can be asked of this account: no credentials, an expired token, no money. Every
    further call would fail in the same way, so all of them wait."""


class State(StrEnum):
    """What a platform says of a submission."""

    ACCEPTED = "accepted"
    RETURNED = "returned"
    ABANDONED = "abandoned"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Submission:
    """One worker's submission as the platform reports it. `answer` is in its own form."""

    provider_id: str
    listing_id: str
    worker_id: str
    state: State
    answer: str = ""
    feedback: str = ""
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    approves_itself_at: datetime | None = None
    decided_at: datetime | None = None


class Known(TypedDict, total=False):
    """The platform's ids of what was prepared: of the groups of those who are excluded and who
    passed, of the test, and of the type of the listings by their pay in cents."""

    exclusion: str
    passed: str
    test: str
    types: dict[str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A listing to be made: its mark, what it shows, how many workers it asks for."""

    key: str
    places: int
    pay_cents: int
    url: str = ""
    page: str = ""
    code: str = ""
    known: Known = field(default_factory=Known)


@dataclass(frozen=True, slots=True)
class Bonus:
    """Money on top of a submission's reward, with the reason that its worker reads."""

    submission_id: str
    worker_id: str
    cents: int
    reason: str


class Needed(TypedDict, total=False):
    """What a preparation is made of: a name alone, a whole test, or what a listing pays."""

    name: str
    description: str
    form: str
    key: str
    seconds: int
    tries: int
    pay_cents: int


@dataclass(frozen=True, slots=True)
class Preparation:
    """Something the platform needs before listings: `kind` names it, `payload` says what."""

    kind: str
    payload: Needed
    rank: int = 0


@dataclass(frozen=True, slots=True)
class TestItem:
    """One question of a qualification test: texts as shown, and the values that pass."""

    key: str
    passage: str
    question: str
    references: tuple[str, ...]
    candidate: str
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """A qualification test, for platforms that give tests themselves."""

    title: str
    question: str
    instructions: str
    scale: tuple[tuple[int, str], ...]
    items: tuple[TestItem, ...]
    pass_percent: int
    minutes: int
    tries: int


@dataclass(frozen=True, slots=True)
class Order:
    """What a publication needs of its provider: lots to be priced, requirements, a test."""

    uid: str
    offer: Offer
    pays: tuple[int, ...]
    minutes: int
    approval_percent: int = 0
    approved_hits: int = 0
    locales: tuple[str, ...] = ()
    test: Test | None = None
    # Groups of those who passed the test in what was listed before, where only they are asked.
    groups: tuple[str, ...] = ()
    # Whether the approval rate must be higher than `approval_percent`, not equal to it.
    approval_above: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """A listing as the platform counts it; `reported` has its work handed in, reviewed or not.
    After `open_until` it takes nobody in."""

    listing_id: str
    key: str
    places: int
    reported: int
    decided: int
    open_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Paid:
    """What the platform says it paid, in cents; the other side of the books."""

    listings: int
    places: int
    approved: int
    rewards: int
    bonuses: int
    fees: int | None = None


def is_here(address: str) -> bool:
    """Whether an address is one of this machine's own, where no money can move."""
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Provider(ABC):
    """A platform. Its methods raise CrowdError; what one cannot do, it says in the message."""

    name: ClassVar[str]
    title: ClassVar[str]
    # Which site of it: what a publication keeps, in one spelling.
    place: str
    # Whether the platform pays workers at our word; else payment happens elsewhere and is noted.
    pays: ClassVar[bool] = True
    # Whether each of a stage's HITs is a listing of its own; else one listing stands for all.
    listing_per_hit: ClassVar[bool] = False
    gives_tests: ClassVar[bool] = False
    # Whether a session is paid for what was done in it; else each place has one reward.
    pays_what_was_earned: ClassVar[bool] = False
    # Whether a bonus is drafted by one call and paid by another.
    drafts_bonuses: ClassVar[bool] = False
    # Whether those who passed our test can be gathered in a group.
    gives_groups: ClassVar[bool] = False
    # How many places cost the lower fee; None where the number makes no difference.
    most_places: ClassVar[int | None] = None
    # For how long a token is remembered; after that the provider is told `again`.
    tokens_last: ClassVar[timedelta] = timedelta(0)

    @property
    def space(self) -> str:
        """Whose worker ids these are: ids of two spaces never name one worker."""
        return self.name

    @property
    def is_real_money(self) -> bool:
        """Whether publishing is confirmed by typing the cost."""
        return False

    @property
    def is_public(self) -> bool:
        """Whether strangers' browsers come here from it: only by HTTPS then."""
        return False

    @abstractmethod
    def price(self, lots: Sequence[Lot], offer: Offer) -> Price:
        """What the lots cost when every place is filled and approved."""

    @abstractmethod
    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        """The platform's fee for one approved submission."""

    @abstractmethod
    def bonus_fee(self, cents: int, offer: Offer) -> int:
        """The platform's fee for a bonus."""

    def balance(self) -> Decimal | None:
        """Dollars at hand; None where the platform does not say. Shows that credentials work."""
        return None

    def preparations(self, order: Order) -> list[Preparation]:
        """What must be there before the first listing, in order."""
        return []

    def prepare(self, what: Preparation, order: Order, known: Known, token: str) -> Known:
        """Make one of the preparations, or find it made; what is known from then on."""
        raise CrowdError(f"{self.title} needs no {what.kind}.")

    @abstractmethod
    def create(self, wanted: Wanted, order: Order, token: str, *, again: bool) -> str:
        """List it, or find it listed; the platform's id of it."""

    @abstractmethod
    def top_up(self, listing_id: str, more: int, target: int, token: str, *, again: bool) -> None:
        """Ask for `more` workers, which makes `target`."""

    @abstractmethod
    def expire(self, listing_id: str) -> None:
        """Let nobody else in. Those who are in may finish."""

    @abstractmethod
    def submissions(self, listing_id: str) -> Iterator[Submission]:
        """All there are of a listing."""

    def counted(self) -> Iterator[Counted] | None:
        """Every listing of the account with its counts, where that is cheaper than asking for
        each listing's submissions; None elsewhere."""
        return None

    @abstractmethod
    def approve(self, submission_id: str, feedback: str, *, override: bool) -> None:
        """Have the worker paid. Done before counts as done."""

    @abstractmethod
    def reject(self, submission_id: str, feedback: str, ground: str = "") -> None:
        """Refuse to pay the worker, who reads `feedback`. Done before counts as done."""

    def draft_bonus(self, bonus: Bonus, listing_id: str) -> str:
        """Announce a bonus, which pays nothing yet; what names it."""
        return ""

    @abstractmethod
    def bonus(self, bonus: Bonus, token: str, *, again: bool, draft: str = "") -> None:
        """Pay a bonus, once."""

    @abstractmethod
    def exclude(self, worker_id: str, known: Known) -> None:
        """Let the worker in no more, without a mark on their account."""

    def admit(self, worker_id: str, known: Known) -> None:
        """Put a worker who passed our test into the platform's group of those."""
        raise CrowdError(f"{self.title} has no groups.")

    def return_url(self, code: str, offer: Offer) -> str:
        """Where a worker's browser goes at the end of a session; empty for nowhere."""
        return ""

    def paid(self, listing_ids: Sequence[str], offer: Offer) -> Paid | None:
        """What the platform has paid for the listings; None where it does not say."""
        return None
