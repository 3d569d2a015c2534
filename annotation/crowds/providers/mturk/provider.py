"""The Mechanical Turk provider: a listing is a HIT, a submission is an assignment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from urllib.parse import urlsplit

from annotation.crowds.providers import money
from annotation.crowds.providers.mturk.client import (
    CREDENTIALS,
    ENDPOINTS,
    PRODUCTION,
    SANDBOX,
    AwsAnswer,
    MTurkClient,
    MTurkError,
    canonical_environment,
    has_credentials,
)
from annotation.crowds.providers.mturk.questions import (
    answer_key,
    external_question,
    question_form,
)
from annotation.crowds.providers.mturk.requirements import requirements
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import (
    BonusPayment,
    Credentials,
    CrowdError,
    CrowdSubmissionReport,
    Decision,
    ListingCounts,
    ListingRequest,
    PaidTotals,
    PlatformPreparation,
    Provider,
    ProviderIds,
    PublicationSpec,
    State,
)

NAMESPACE_CHARS = 30
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
    """`environment`: sandbox, production, or the URL of a service with the same API."""

    name, title = "mturk", "Mechanical Turk"
    summary = (
        "Workers of a service with Mechanical Turk's API. Amazon closed its own on 30 September "
        "2026."
    )
    cost = (
        "Rewards and the service's fee; Amazon's was 20%, and 40% of HITs with ten or more "
        "places. The service charges your account."
    )
    section = "mechanical-turk-s-api"
    credentials = CREDENTIALS
    token_lifetime = timedelta(
        hours=20
    )  # documented as 24 hours; less allows for clock differences
    listing_per_hit = True
    has_tests = True
    test_terms = (
        "The service runs the qualification test itself and does not pay for it. To pay for the "
        "test, publish the qualification stage, and then this stage only for workers who passed."
    )
    max_places_at_lower_fee = money.MANY_ASSIGNMENTS - 1

    def __init__(self, environment: str) -> None:
        self.environment = canonical_environment(environment)
        self.call = MTurkClient(self.environment)
        self._ids_by_annotation: dict[str, str] | None = None
        own = ("", *ENDPOINTS)
        self.service = "" if self.environment in own else self.environment.rstrip("/")

    def sign_in_by(self, credentials: Credentials) -> None:
        self.call.credentials = credentials

    @property
    def id_namespace(self) -> str:
        if self.environment == PRODUCTION:
            return "mturk"
        if self.environment == SANDBOX:
            return "mturk-sandbox"
        host = urlsplit(self.environment).netloc
        is_long = len(host) > NAMESPACE_CHARS
        return f"mturk {sha256(host.encode()).hexdigest()[:NAMESPACE_CHARS] if is_long else host}"

    def missing_credentials(self) -> Mapping[str, str]:
        return {} if self.call.credentials or has_credentials() else CREDENTIALS

    @property
    def is_real_money(self) -> bool:
        # Another service may charge money, also behind an address of this machine.
        return self.environment != SANDBOX

    @property
    def is_public(self) -> bool:
        return self.environment in ENDPOINTS

    def price(self, cents: int, offer: Offer, places: int = 0) -> int:
        is_reward = places > 0
        return cents + money.mturk_fee(cents, places, masters=is_reward and offer.masters)

    def balance(self) -> Decimal:
        return Decimal(self.call("get_account_balance")["AvailableBalance"])

    def preparations(self, spec: PublicationSpec) -> list[PlatformPreparation]:
        preparations = [PlatformPreparation("exclusion", {"name": f"Not again: {spec.uid}"})]
        if spec.is_paid_test:
            preparations.append(
                PlatformPreparation("passed", {"name": f"Passed the test: {spec.study}"})
            )
        if spec.test is not None:
            test = spec.test
            preparations.append(
                PlatformPreparation(
                    "test",
                    {
                        "name": f"{test.title[:150]} ({spec.uid})",
                        "description": test.question[:1900],
                        "form": question_form(test),
                        "key": answer_key(test),
                        "seconds": test.minutes * 60,
                        "tries": test.tries,
                    },
                )
            )
        preparations += [
            PlatformPreparation("type", {"pay_cents": pay}, 1) for pay in sorted(set(spec.pays))
        ]
        if spec.offer.queue:
            preparations += [
                PlatformPreparation("queue", {"pay_cents": pay}, 2)
                for pay in sorted(set(spec.pays))
            ]
        return preparations

    def prepare(
        self,
        preparation: PlatformPreparation,
        spec: PublicationSpec,
        provider_ids: ProviderIds,
        token: str,
    ) -> ProviderIds:
        payload = preparation.payload
        match preparation.kind:
            case "exclusion":
                return {
                    "exclusion": self._qualification(
                        payload["name"], "Excluded from further HITs of this study.", {}
                    )
                }
            case "passed":
                description = "Passed the qualification test of this study."
                return {"passed": self._qualification(payload["name"], description, {})}
            case "test":
                test = {
                    "Test": payload["form"],
                    "AnswerKey": payload["key"],
                    "TestDurationInSeconds": payload["seconds"],
                }
                if payload["tries"] > 1:
                    # MTurk does not count tries; it only has a delay between them.
                    test["RetryDelayInSeconds"] = 60
                return {"test": self._qualification(payload["name"], payload["description"], test)}
            case "type":
                hit_type = self._hit_type(spec, payload["pay_cents"], provider_ids)
                return {
                    "types": {**provider_ids.get("types", {}), str(payload["pay_cents"]): hit_type}
                }
            case "queue":
                self.call(
                    "update_notification_settings",
                    HITTypeId=provider_ids["types"][str(payload["pay_cents"])],
                    Notification={
                        "Destination": spec.offer.queue,
                        "Transport": "SQS",
                        "Version": "2014-08-15",
                        "EventTypes": list(EVENTS),
                    },
                    Active=True,
                )
                return {}
        raise CrowdError(f"There is no preparation '{preparation.kind}'.")

    def create(
        self, request: ListingRequest, spec: PublicationSpec, token: str, *, is_retry: bool
    ) -> str:
        if is_retry and (hit_id := self._by_annotation().get(request.key)):
            return hit_id
        offer = spec.offer
        try:
            response = self.call(
                "create_hit_with_hit_type",
                HITTypeId=request.provider_ids["types"][str(request.pay_cents)],
                MaxAssignments=request.places,
                LifetimeInSeconds=offer.lifetime_hours * 3600,
                Question=external_question(request.url, offer.frame_height),
                RequesterAnnotation=request.key,
                UniqueRequestToken=token,
            )
        except MTurkError as error:
            if error.code != "hitalreadyexists":
                raise
            hit_id = error.named_id or self._by_annotation().get(request.key, "")
            if not hit_id:
                raise
            return hit_id
        return str(response["HIT"]["HITId"])

    def add_places(
        self, listing_id: str, more: int, target: int, token: str, *, is_retry: bool
    ) -> None:
        if is_retry and self._places(listing_id) >= target:
            return
        try:
            self.call(
                "create_additional_assignments_for_hit",
                HITId=listing_id,
                NumberOfAdditionalAssignments=more,
                UniqueRequestToken=token,
            )
        except MTurkError:
            if self._places(listing_id) < target:
                raise

    def stop(self, listing_id: str) -> None:
        self.call("update_expiration_for_hit", HITId=listing_id, ExpireAt=LONG_AGO)

    def submissions(self, listing_id: str) -> Iterator[CrowdSubmissionReport]:
        for row in self.call.pages(
            "list_assignments_for_hit",
            "Assignments",
            HITId=listing_id,
            AssignmentStatuses=list(REVIEWED),
        ):
            yield submission(row)

    def listing_counts(self) -> Iterator[ListingCounts]:
        for hit in self.call.pages("list_hits", "HITs"):
            open_places = hit["NumberOfAssignmentsPending"] + hit["NumberOfAssignmentsAvailable"]
            yield ListingCounts(
                hit["HITId"],
                hit.get("RequesterAnnotation", ""),
                hit["MaxAssignments"],
                hit["MaxAssignments"] - open_places,
                hit["NumberOfAssignmentsCompleted"],
                hit.get("Expiration"),
            )

    def decide(self, submission_id: str, decision: Decision) -> None:
        parameters: dict[str, object] = {"AssignmentId": submission_id}
        if decision.feedback:
            parameters["RequesterFeedback"] = decision.feedback
        if decision.is_override:
            parameters["OverrideRejection"] = True
        operation = "approve_assignment" if decision.is_approval else "reject_assignment"
        try:
            self.call(operation, **parameters)
        except MTurkError:
            answer = self.call("get_assignment", AssignmentId=submission_id)
            status = "Approved" if decision.is_approval else "Rejected"
            if answer["Assignment"]["AssignmentStatus"] != status:
                raise

    def bonus(
        self, bonus: BonusPayment, token: str, *, is_retry: bool, store: Callable[[str], None]
    ) -> None:
        if is_retry and self._is_paid(bonus):
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
        except MTurkError:
            # MTurk reports a token that was used before by an error without its own code.
            if not self._is_paid(bonus):
                raise

    def exclude(self, worker_id: str, provider_ids: ProviderIds) -> None:
        self.call(
            "associate_qualification_with_worker",
            QualificationTypeId=provider_ids["exclusion"],
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=False,
        )

    def admit(self, worker_id: str, provider_ids: ProviderIds) -> None:
        self.call(
            "associate_qualification_with_worker",
            QualificationTypeId=provider_ids["passed"],
            WorkerId=worker_id,
            IntegerValue=1,
            SendNotification=True,
        )

    def paid_totals(self, listing_ids: Sequence[str], offer: Offer) -> PaidTotals:
        listings = places = approved = rewards = bonuses = fees = 0
        for listing in listing_ids:
            hit = self.call("get_hit", HITId=listing)["HIT"]
            reward = money.cents(hit["Reward"])
            approvals = list(
                self.call.pages(
                    "list_assignments_for_hit",
                    "Assignments",
                    HITId=listing,
                    AssignmentStatuses=["Approved"],
                )
            )
            amounts = [
                money.cents(row["BonusAmount"])
                for row in self.call.pages("list_bonus_payments", "BonusPayments", HITId=listing)
            ]
            listings += 1
            places += hit["MaxAssignments"]
            approved += len(approvals)
            rewards += reward * len(approvals)
            bonuses += sum(amounts)
            fees += sum(self.price(amount, offer) - amount for amount in amounts)
            price = self.price(reward, offer, hit["MaxAssignments"])
            fees += len(approvals) * (price - reward)
        return PaidTotals(listings, places, approved, rewards, bonuses, fees)

    def _qualification(self, name: str, description: str, fields: dict[str, object]) -> str:
        """The id of the qualification type with this name, which is created if it does not
        exist."""
        try:
            response = self.call(
                "create_qualification_type",
                Name=name,
                Description=description,
                QualificationTypeStatus="Active",
                **fields,
            )
        except MTurkError:
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
        return str(response["QualificationType"]["QualificationTypeId"])

    def _hit_type(self, spec: PublicationSpec, pay_cents: int, provider_ids: ProviderIds) -> str:
        """The id of the HIT type; MTurk returns the same id for the same values."""
        offer = spec.offer
        response = self.call(
            "create_hit_type",
            Title=offer.title,
            Description=offer.description,
            Keywords=offer.keywords,
            Reward=money.dollars(pay_cents),
            AssignmentDurationInSeconds=spec.minutes * 60,
            AutoApprovalDelayInSeconds=offer.auto_approval_hours * 3600,
            QualificationRequirements=requirements(spec, self.environment, provider_ids),
        )
        return str(response["HITTypeId"])

    def _by_annotation(self) -> dict[str, str]:
        """The ids of all HITs of the account by their annotation; listed once."""
        if self._ids_by_annotation is None:
            self._ids_by_annotation = {
                one.key: one.listing_id for one in self.listing_counts() if one.key
            }
        return self._ids_by_annotation

    def _places(self, listing_id: str) -> int:
        return int(self.call("get_hit", HITId=listing_id)["HIT"]["MaxAssignments"])

    def _is_paid(self, bonus: BonusPayment) -> bool:
        """Whether this bonus was paid: an assignment never gets two equal bonuses."""
        rows = self.call.pages(
            "list_bonus_payments", "BonusPayments", AssignmentId=bonus.submission_id
        )
        return any(
            row["WorkerId"] == bonus.worker_id
            and money.cents(row["BonusAmount"]) == bonus.cents
            and row.get("Reason", "") == bonus.reason
            for row in rows
        )


def submission(row: AwsAnswer) -> CrowdSubmissionReport:
    """Convert an Assignment of the API."""
    return CrowdSubmissionReport(
        provider_id=row["AssignmentId"],
        listing_id=row["HITId"],
        worker_id=row["WorkerId"],
        state=State(row["AssignmentStatus"].lower()),
        answer=row.get("Answer", ""),
        feedback=row.get("RequesterFeedback", ""),
        accepted_at=row.get("AcceptTime"),
        submitted_at=row.get("SubmitTime"),
        auto_approval_at=row.get("AutoApprovalTime"),
        decided_at=row.get("ApprovalTime") or row.get("RejectionTime"),
    )
