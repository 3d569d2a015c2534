"""Mechanical Turk as a provider: a listing is a HIT, a submission an assignment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from annotation.crowds.providers import money
from annotation.crowds.providers.money import Lot, Price
from annotation.crowds.providers.mturk.client import (
    ENDPOINTS,
    PRODUCTION,
    SANDBOX,
    Client,
    TurkError,
    canonical,
)
from annotation.crowds.providers.mturk.questions import (
    answer_key,
    external_question,
    html_question,
    question_form,
)
from annotation.crowds.providers.mturk.requirements import requirements
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import (
    Bonus,
    Counted,
    CrowdError,
    Known,
    Order,
    Paid,
    Preparation,
    Provider,
    State,
    Submission,
    Wanted,
    is_here,
)

SPACE_CHARS = 30
LONG_AGO = datetime(2015, 1, 1, tzinfo=UTC)
REVIEWED = ("Submitted", "Approved", "Rejected")
EVENTS = (
    "AssignmentAccepted",
    "AssignmentAbandoned",
    "AssignmentReturned",
    "AssignmentSubmitted",
    "HITReviewable",
    "HITExpired",
)


class MTurk(Provider):
    """`place`: sandbox, production, or the address of a service that speaks the API."""

    name, title = "mturk", "Mechanical Turk"
    tokens_last = timedelta(hours=20)  # a day, they say: well within it, whatever the clocks say
    listing_per_hit = True
    gives_tests = True
    most_places = money.MANY_ASSIGNMENTS - 1

    def __init__(self, place: str) -> None:
        self.place = canonical(place)
        self.call = Client(self.place)
        self._found: dict[str, str] | None = None

    @property
    def space(self) -> str:
        if self.place == PRODUCTION:
            return "mturk"
        if self.place == SANDBOX:
            return "mturk-sandbox"
        host = urlsplit(self.place).netloc
        long = len(host) > SPACE_CHARS
        return f"mturk {sha256(host.encode()).hexdigest()[:SPACE_CHARS] if long else host}"

    @property
    def is_real_money(self) -> bool:
        # Another service may well charge: only what runs on this machine surely does not.
        return self.place != SANDBOX and not is_here(self.place)

    @property
    def is_public(self) -> bool:
        return self.place in ENDPOINTS

    def price(self, lots: Sequence[Lot], offer: Offer) -> Price:
        return money.mturk_price(lots, masters=offer.masters)

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.mturk_fee(pay_cents, places, masters=offer.masters)

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return money.mturk_bonus_fee(cents)

    def balance(self) -> Decimal:
        return Decimal(self.call("get_account_balance")["AvailableBalance"])

    def preparations(self, order: Order) -> list[Preparation]:
        found = [Preparation("exclusion", {"name": f"Not again: {order.uid}"})]
        if order.test is not None:
            test = order.test
            found.append(
                Preparation(
                    "test",
                    {
                        "name": f"{test.title[:150]} ({order.uid})",
                        "description": test.question[:1900],
                        "form": question_form(test),
                        "key": answer_key(test),
                        "seconds": test.minutes * 60,
                        "tries": test.tries,
                    },
                )
            )
        found += [Preparation("type", {"pay_cents": pay}, 1) for pay in sorted(set(order.pays))]
        if order.offer.queue:
            found += [
                Preparation("queue", {"pay_cents": pay}, 2) for pay in sorted(set(order.pays))
            ]
        return found

    def prepare(self, what: Preparation, order: Order, known: Known, token: str) -> Known:
        given = what.payload
        match what.kind:
            case "exclusion":
                return {"exclusion": self._qualification(given["name"], "Had enough of us.", {})}
            case "test":
                test = {
                    "Test": given["form"],
                    "AnswerKey": given["key"],
                    "TestDurationInSeconds": given["seconds"],
                }
                if given["tries"] > 1:
                    # MTurk counts no tries: a delay is what it has between them.
                    test["RetryDelayInSeconds"] = 60
                return {"test": self._qualification(given["name"], given["description"], test)}
            case "type":
                made = self._hit_type(order, given["pay_cents"], known)
                return {"types": {**known.get("types", {}), str(given["pay_cents"]): made}}
            case "queue":
                self.call(
                    "update_notification_settings",
                    HITTypeId=known["types"][str(given["pay_cents"])],
                    Notification={
                        "Destination": order.offer.queue,
                        "Transport": "SQS",
                        "Version": "2014-08-15",
                        "EventTypes": list(EVENTS),
                    },
                    Active=True,
                )
                return {}
        raise CrowdError(f"There is no preparation '{what.kind}'.")

    def create(self, wanted: Wanted, order: Order, token: str, *, again: bool) -> str:
        if again and (found := self._by_annotation().get(wanted.key)):
            return found
        offer = order.offer
        question = (
            html_question(wanted.page, offer.frame_height)
            if wanted.page
            else external_question(wanted.url, offer.frame_height)
        )
        try:
            made = self.call(
                "create_hit_with_hit_type",
                HITTypeId=wanted.known["types"][str(wanted.pay_cents)],
                MaxAssignments=wanted.places,
                LifetimeInSeconds=offer.lifetime_hours * 3600,
                Question=question,
                RequesterAnnotation=wanted.key,
                UniqueRequestToken=token,
            )
        except TurkError as error:
            if error.code != "hitalreadyexists":
                raise
            found = error.named_id or self._by_annotation().get(wanted.key, "")
            if not found:
                raise
            return found
        return str(made["HIT"]["HITId"])

    def top_up(self, listing_id: str, more: int, target: int, token: str, *, again: bool) -> None:
        if again and self._places(listing_id) >= target:
            return
        try:
            self.call(
                "create_additional_assignments_for_hit",
                HITId=listing_id,
                NumberOfAdditionalAssignments=more,
                UniqueRequestToken=token,
            )
        except TurkError:
            if self._places(listing_id) < target:
                raise

    def expire(self, listing_id: str) -> None:
        self.call("update_expiration_for_hit", HITId=listing_id, ExpireAt=LONG_AGO)

    def submissions(self, listing_id: str) -> Iterator[Submission]:
        for row in self.call.pages(
            "list_assignments_for_hit",
            "Assignments",
            HITId=listing_id,
            AssignmentStatuses=list(REVIEWED),
        ):
            yield submission(row)

    def counted(self) -> Iterator[Counted]:
        for hit in self.call.pages("list_hits", "HITs"):
            open_ = hit["NumberOfAssignmentsPending"] + hit["NumberOfAssignmentsAvailable"]
            yield Counted(
                hit["HITId"],
                hit.get("RequesterAnnotation", ""),
                hit["MaxAssignments"],
                hit["MaxAssignments"] - open_,
                hit["NumberOfAssignmentsCompleted"],
                hit.get("Expiration"),
            )

    def approve(self, submission_id: str, feedback: str, *, override: bool) -> None:
        given: dict[str, Any] = {"AssignmentId": submission_id}
        if feedback:
            given["RequesterFeedback"] = feedback
        if override:
            given["OverrideRejection"] = True
        self._decide("approve_assignment", given, "Approved")

    def reject(self, submission_id: str, feedback: str, ground: str = "") -> None:
        given = {"AssignmentId": submission_id, "RequesterFeedback": feedback}
        self._decide("reject_assignment", given, "Rejected")

    def bonus(self, bonus: Bonus, token: str, *, again: bool, draft: str = "") -> None:
        if again and self._is_paid(bonus):
            return
        try:
            self.call(
                "send_bonus",
                WorkerId=bonus.worker_id,
                AssignmentId=bonus.submission_id,
                BonusAmount=money.dollars(bonus.cents),
                Reason=bonus.reason,
                UniqueRequestToken=token,
            )
        except TurkError:
            # The token was used before: MTurk says so by an error without a code of its own.
            if not self._is_paid(bonus):
                raise

    def exclude(self, worker_id: str, known: Known) -> None:
        self.call(
            "associate_qualification_with_worker",
            QualificationTypeId=known["exclusion"],
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def paid(self, listing_ids: Sequence[str], offer: Offer) -> Paid:
        listings = places = approved = rewards = bonuses = fees = 0
        for listing in listing_ids:
            hit = self.call("get_hit", HITId=listing)["HIT"]
            reward = money.cents(hit["Reward"])
            done = list(
                self.call.pages(
                    "list_assignments_for_hit",
                    "Assignments",
                    HITId=listing,
                    AssignmentStatuses=["Approved"],
                )
            )
            given = [
                money.cents(row["BonusAmount"])
                for row in self.call.pages("list_bonus_payments", "BonusPayments", HITId=listing)
            ]
            listings += 1
            places += hit["MaxAssignments"]
            approved += len(done)
            rewards += reward * len(done)
            bonuses += sum(given)
            fees += sum(map(money.mturk_bonus_fee, given))
            fees += len(done) * self.fee(reward, hit["MaxAssignments"], offer)
        return Paid(listings, places, approved, rewards, bonuses, fees)

    def _qualification(self, name: str, description: str, more: dict[str, Any]) -> str:
        """A qualification type of ours by its name, which MTurk lets us use once."""
        try:
            made = self.call(
                "create_qualification_type",
                Name=name,
                Description=description,
                QualificationTypeStatus="Active",
                **more,
            )
        except TurkError:
            for row in self.call.pages(
                "list_qualification_types",
                "QualificationTypes",
                Query=name,
                MustBeRequestable=False,
                MustBeOwnedByCaller=True,
            ):
                if row["Name"] == name:
                    return str(row["QualificationTypeId"])
            raise
        return str(made["QualificationType"]["QualificationTypeId"])

    def _hit_type(self, order: Order, pay_cents: int, known: Known) -> str:
        """MTurk gives the same type for the same values, however often it is asked."""
        offer = order.offer
        made = self.call(
            "create_hit_type",
            Title=offer.title,
            Description=offer.description,
            Keywords=offer.keywords,
            Reward=money.dollars(pay_cents),
            AssignmentDurationInSeconds=order.minutes * 60,
            AutoApprovalDelayInSeconds=offer.auto_approval_hours * 3600,
            QualificationRequirements=requirements(order, self.place, known),
        )
        return str(made["HITTypeId"])

    def _by_annotation(self) -> dict[str, str]:
        """Every HIT of the account by its annotation; listed once, since what is made later
        is known here."""
        if self._found is None:
            self._found = {one.key: one.listing_id for one in self.counted() if one.key}
        return self._found

    def _places(self, listing_id: str) -> int:
        return int(self.call("get_hit", HITId=listing_id)["HIT"]["MaxAssignments"])

    def _decide(self, operation: str, given: dict[str, Any], wanted: str) -> None:
        try:
            self.call(operation, **given)
        except TurkError:
            now = self.call("get_assignment", AssignmentId=given["AssignmentId"])
            if now["Assignment"]["AssignmentStatus"] != wanted:
                raise

    def _is_paid(self, bonus: Bonus) -> bool:
        """Whether this very bonus was paid: we give no two alike for one assignment."""
        rows = self.call.pages(
            "list_bonus_payments", "BonusPayments", AssignmentId=bonus.submission_id
        )
        return any(
            row["WorkerId"] == bonus.worker_id
            and money.cents(row["BonusAmount"]) == bonus.cents
            and row.get("Reason", "") == bonus.reason
            for row in rows
        )


def submission(row: Mapping[str, Any]) -> Submission:
    """An Assignment of the API."""
    return Submission(
        provider_id=row["AssignmentId"],
        listing_id=row["HITId"],
        worker_id=row["WorkerId"],
        state=State(row["AssignmentStatus"].lower()),
        answer=row.get("Answer", ""),
        feedback=row.get("RequesterFeedback", ""),
        accepted_at=row.get("AcceptTime"),
        submitted_at=row.get("SubmitTime"),
        approves_itself_at=row.get("AutoApprovalTime"),
        decided_at=row.get("ApprovalTime") or row.get("RejectionTime"),
    )
