"""The interface of crowd platforms. No database.

A method makes at most one change at the platform. Methods that create or spend take a `token`:
calls with the same token have one effect. `is_retry` says that an earlier attempt may have
succeeded; the provider then first looks for its result, because tokens expire and some platforms
have none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar, TypedDict

from annotation.crowds.providers.offer import Offer

# Reads credentials by their names. Raises AccountError.
Credentials = Callable[[], Mapping[str, str]]


class CrowdError(Exception):
    """A platform refused or failed. The message says what to do.

    A `permanent` error needs a person; any other is retried later.
    """

    def __init__(self, message: str, *, permanent: bool = True) -> None:
        super().__init__(message)
        self.permanent = permanent


class CrowdBusyError(CrowdError):
    """The rate limit is exceeded or the platform is unavailable: wait and retry."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=False)


class AccountError(CrowdError):
    """The account cannot be used: no credentials, an expired token, or no money.

    Every further call would fail in the same way, so all calls are paused.
    """


class State(StrEnum):
    """The state of a submission at the platform."""

    ACCEPTED = "accepted"
    RETURNED = "returned"
    ABANDONED = "abandoned"
    SUBMITTED = "submitted"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class CrowdSubmissionReport:
    """One worker's submission as the platform reports it. `answer` has the platform's format."""

    provider_id: str
    listing_id: str
    worker_id: str
    state: State
    answer: str = ""
    feedback: str = ""
    accepted_at: datetime | None = None
    submitted_at: datetime | None = None
    auto_approval_at: datetime | None = None
    decided_at: datetime | None = None


class ProviderIds(TypedDict, total=False):
    """The platform's ids of what was prepared.

    `exclusion` and `passed` are the groups of excluded workers and of those who passed the test,
    `test` is the test, and `types` maps pay in cents to the listing type.
    """

    exclusion: str
    passed: str
    test: str
    types: dict[str, str]


@dataclass(frozen=True, slots=True)
class ListingRequest:
    """A listing to create: its key, its page, and the number of workers it asks for."""

    key: str
    places: int
    pay_cents: int
    url: str = ""
    code: str = ""
    provider_ids: ProviderIds = field(default_factory=ProviderIds)


@dataclass(frozen=True, slots=True)
class BonusPayment:
    """An amount on top of a submission's reward, with the reason shown to the worker.

    `draft` is the id of the draft that was stored by an earlier attempt; empty without one.
    """

    submission_id: str
    listing_id: str
    worker_id: str
    cents: int
    reason: str
    draft: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a submission. The worker reads `feedback`.

    `is_override` undoes a rejection. `ground` is the reason for a rejection.
    """

    is_approval: bool
    feedback: str = ""
    ground: str = ""
    is_override: bool = False


class PreparationPayload(TypedDict, total=False):
    """The content of a preparation: a name, a whole test, or a listing's pay."""

    name: str
    description: str
    form: str
    key: str
    seconds: int
    tries: int
    pay_cents: int


@dataclass(frozen=True, slots=True)
class PlatformPreparation:
    """Something the platform needs before listings. `kind` names it, `payload` is its content."""

    kind: str
    payload: PreparationPayload
    rank: int = 0


@dataclass(frozen=True, slots=True)
class TestQuestion:
    """One question about an item: its key and text, the values with labels, and those that pass."""

    key: str
    text: str
    options: tuple[tuple[str, str], ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestItem:
    """One item of a qualification test: its texts, and what is asked about it."""

    passage: str
    question: str
    references: tuple[str, ...]
    candidate: str
    questions: tuple[TestQuestion, ...]


@dataclass(frozen=True, slots=True)
class Test:
    """A qualification test, for platforms that run tests themselves. `question` describes it."""

    title: str
    question: str
    instructions: str
    items: tuple[TestItem, ...]
    pass_percent: int
    minutes: int
    tries: int


@dataclass(frozen=True, slots=True)
class PublicationSpec:
    """What a provider needs to know of a publication: pay, time, requirements, test."""

    uid: str
    offer: Offer
    pays: tuple[int, ...]
    minutes: int
    approval_percent: int = 0
    approved_hits: int = 0
    locales: tuple[str, ...] = ()
    test: Test | None = None
    # Groups of workers who passed an earlier publication's test, where only they are asked.
    groups: tuple[str, ...] = ()
    # Whether the approval rate must exceed `approval_percent`, not only equal it.
    approval_above: bool = False
    # Names the study at the platform.
    study: str = ""
    # Whether the listing is the qualification test itself, as a paid task.
    is_paid_test: bool = False


@dataclass(frozen=True, slots=True)
class ListingCounts:
    """The platform's counts for a listing.

    `reported` counts submitted work, reviewed or not. After `open_until` nobody can accept it.
    """

    listing_id: str
    key: str
    places: int
    reported: int
    decided: int
    open_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class PaidTotals:
    """Amounts paid, in cents; `fees` is None if the platform does not report them."""

    listings: int
    places: int
    approved: int
    rewards: int
    bonuses: int
    fees: int | None = None

    @property
    def total(self) -> int:
        return self.rewards + self.bonuses + (self.fees or 0)


class Provider(ABC):
    """A platform. Its methods raise CrowdError, also for what the platform cannot do."""

    name: ClassVar[str]
    title: ClassVar[str]
    # For those who choose a crowd: what it is and what it costs, and its section in the
    # documentation (docs/how-to/crowds.md).
    summary: ClassVar[str]
    cost: ClassVar[str]
    section: ClassVar[str]
    # The platform's environment in its normal form, as a publication stores it.
    environment: str
    # Whether the platform pays workers on request; else payment happens elsewhere.
    pays: ClassVar[bool] = True
    # Whether each HIT of a stage has its own listing; else one listing covers all.
    listing_per_hit: ClassVar[bool] = False
    # Whether the platform runs qualification tests itself, and the qualification stage can be
    # published there as paid tasks.
    has_tests: ClassVar[bool] = False
    # Where raters take the qualification test, and whether it is paid.
    test_terms: ClassVar[str] = (
        "Raters take the qualification test on this site. The first try is paid like a task, and "
        "this cost does not include it."
    )
    # The fewest characters of the message to a worker whose submission is rejected.
    min_rejection_chars: ClassVar[int] = 0
    # Whether only their amounts distinguish the bonuses of a submission.
    tells_bonuses_apart_by_amount: ClassVar[bool] = False
    # The most places at the lower fee; None if the fee does not depend on the number.
    max_places_at_lower_fee: ClassVar[int | None] = None
    # How long a token is remembered; later attempts are marked `is_retry`.
    token_lifetime: ClassVar[timedelta] = timedelta(0)

    # The names of the credentials, which are those of environment variables, and what they are.
    credentials: ClassVar[Mapping[str, str]] = {}
    # The URL of the service that has the platform's API; empty for the platform's own.
    service: str = ""

    def sign_in_by(self, credentials: Credentials) -> None:
        """Use these credentials in place of those of the process's environment. They are read for
        the calls. Only for a provider with `credentials`."""
        raise NotImplementedError(f"{self.name} has no credentials")

    def missing_credentials(self) -> Mapping[str, str]:
        """Those of `credentials` that are not known."""
        return {}

    @property
    def id_namespace(self) -> str:
        """The namespace of worker ids: equal ids in two namespaces are different workers."""
        return self.name

    @property
    def is_real_money(self) -> bool:
        """Whether the platform may charge money, so that the cost must be typed to publish."""
        return False

    @property
    def is_public(self) -> bool:
        """Whether workers come from the public internet, which requires HTTPS."""
        return False

    @abstractmethod
    def price(self, cents: int, offer: Offer, places: int = 0) -> int:
        """What paying `cents` to a worker costs, the fee included.

        places: of the listing for which they are the reward; 0 for a bonus.
        """

    def balance(self) -> Decimal | None:
        """The account's balance in dollars; None if the platform does not report it.

        A successful call also shows that the credentials work.
        """
        return None

    def preparations(self, spec: PublicationSpec) -> list[PlatformPreparation]:
        """What must exist before the first listing, in order."""
        return []

    def prepare(
        self,
        preparation: PlatformPreparation,
        spec: PublicationSpec,
        provider_ids: ProviderIds,
        token: str,
    ) -> ProviderIds:
        """Make one preparation, or find it if it exists; returns the ids it adds."""
        raise CrowdError(f"{self.title} has no preparation '{preparation.kind}'.")

    @abstractmethod
    def create(
        self, request: ListingRequest, spec: PublicationSpec, token: str, *, is_retry: bool
    ) -> str:
        """Create a listing, or find it if it exists; returns the platform's id."""

    @abstractmethod
    def add_places(
        self, listing_id: str, more: int, target: int, token: str, *, is_retry: bool
    ) -> None:
        """Ask for `more` workers, which makes `target` in total."""

    @abstractmethod
    def stop(self, listing_id: str) -> None:
        """Admit no new workers. Those who have started may finish."""

    @abstractmethod
    def submissions(self, listing_id: str) -> Iterator[CrowdSubmissionReport]:
        """All submissions of a listing."""

    def session(self, session_id: str) -> CrowdSubmissionReport | None:
        """What the platform says about a worker's session, whose id is in the link that it opened;
        None if it has no such session."""
        return None

    def listing_counts(self) -> Iterator[ListingCounts] | None:
        """The counts of every listing of the account; None if the platform has no such call.

        This is cheaper than asking for each listing's submissions.
        """
        return None

    @abstractmethod
    def decide(self, submission_id: str, decision: Decision) -> None:
        """Have the worker paid, or refuse it. Repeated calls have no effect."""

    @abstractmethod
    def bonus(
        self, bonus: BonusPayment, token: str, *, is_retry: bool, store: Callable[[str], None]
    ) -> None:
        """Pay a bonus, once. A platform that drafts bonuses gives the draft's id to `store` before
        it is paid."""

    @abstractmethod
    def exclude(self, worker_id: str, provider_ids: ProviderIds) -> None:
        """Exclude the worker from further listings, without a mark on their account."""

    def admit(self, worker_id: str, provider_ids: ProviderIds) -> None:
        """Add a worker who passed the test to the platform's group of such workers."""
        raise CrowdError(f"{self.title} has no groups.")

    def return_url(self, code: str, offer: Offer) -> str:
        """Where a worker's browser goes at the end of a session; empty for nowhere."""
        return ""

    def paid_totals(self, listing_ids: Sequence[str], offer: Offer) -> PaidTotals | None:
        """The amounts the platform has paid for the listings; None if it does not report them."""
        return None
