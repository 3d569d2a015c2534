"""The Prolific provider: a listing is a study, a submission is one participant's session.

Prolific has no idempotency tokens, so a retry first looks for the result of the earlier attempt: a
study by its internal name, a bonus in its submission. Amounts are in cents of the account's
currency.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from http import HTTPStatus
from typing import ClassVar

from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.prolific.client import (
    PRODUCTION,
    TOKEN,
    ProlificAnswer,
    ProlificClient,
    ProlificError,
)
from annotation.crowds.providers.provider import (
    BonusPayment,
    Credentials,
    CrowdError,
    CrowdSubmissionReport,
    Decision,
    ListingRequest,
    PaidTotals,
    PlatformPreparation,
    Provider,
    ProviderIds,
    PublicationSpec,
    State,
)

CATEGORY = {
    "not done": "NO_DATA",
    "not read": "LOW_EFFORT",
    "not own": "MALINGERING",
    "disagreement": "OTHER",
}
STATES = {
    "ACTIVE": State.ACCEPTED,
    "RESERVED": State.ACCEPTED,
    "RETURNED": State.RETURNED,
    "TIMED-OUT": State.ABANDONED,
    "AWAITING REVIEW": State.SUBMITTED,
    "APPROVED": State.APPROVED,
    "PARTIALLY APPROVED": State.APPROVED,
    "SCREENED OUT": State.RETURNED,
    "REJECTED": State.REJECTED,
}
PARAMETERS = "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
RETURN = "https://app.prolific.com/submissions/complete?cc="


class Prolific(Provider):
    """`environment`: production, or the URL of a server with the same API."""

    name, title = "prolific", "Prolific"
    summary = "Participants of Prolific, by its API: studies, places, decisions and bonuses."
    cost = "Rewards and Prolific's fee, which depends on the account that it charges."
    section = "prolific"
    credentials: ClassVar[Mapping[str, str]] = {
        TOKEN: "a token from the settings of your Prolific account"
    }
    min_rejection_chars = 100
    tells_bonuses_apart_by_amount = True
    test_terms = (
        "Raters take the qualification test on this site, as one of the tasks that the reward of "
        "their session pays."
    )

    def __init__(self, environment: str) -> None:
        self.environment = environment
        self.call = ProlificClient(environment)
        self.service = "" if self.is_public else environment.rstrip("/")
        self._is_signed_in = bool(os.environ.get(TOKEN))

    def sign_in_by(self, credentials: Credentials) -> None:
        self.call.credentials, self._is_signed_in = credentials, True

    def missing_credentials(self) -> Mapping[str, str]:
        return {} if self._is_signed_in else self.credentials

    @property
    def is_real_money(self) -> bool:
        return True

    @property
    def is_public(self) -> bool:
        return self.environment in ("", PRODUCTION)

    def price(self, cents: int, offer: Offer, places: int = 0) -> int:
        return cents + money.percentage(cents, Decimal(offer.fee_percent or "0") / 100)

    def balance(self) -> Decimal | None:
        balance = self.call("GET", "users/me/").get("available_balance")
        return None if balance is None else Decimal(balance) / 100

    def preparations(self, spec: PublicationSpec) -> list[PlatformPreparation]:
        return [
            PlatformPreparation("exclusion", {"name": f"Not again: {spec.uid}"}),
            PlatformPreparation("passed", {"name": f"Passed the test: {spec.uid}"}),
        ]

    def prepare(
        self,
        preparation: PlatformPreparation,
        spec: PublicationSpec,
        provider_ids: ProviderIds,
        token: str,
    ) -> ProviderIds:
        group = self._group(preparation.payload["name"])
        return {"passed": group} if preparation.kind == "passed" else {"exclusion": group}

    def create(
        self, request: ListingRequest, spec: PublicationSpec, token: str, *, is_retry: bool
    ) -> str:
        study = self._by_name(request.key) if is_retry else None
        if study is None:
            study = self.call("POST", "studies/", _study(request, spec))
        if study["status"] == "UNPUBLISHED":
            self.call("POST", f"studies/{study['id']}/transition/", {"action": "PUBLISH"})
        return str(study["id"])

    def add_places(
        self, listing_id: str, more: int, target: int, token: str, *, is_retry: bool
    ) -> None:
        # The total is sent, so that a repeated request has no further effect.
        content = {"total_available_places": target}
        self.call("PATCH", f"studies/{listing_id}/", content)

    def stop(self, listing_id: str) -> None:
        try:
            self.call("POST", f"studies/{listing_id}/transition/", {"action": "STOP"})
        except ProlificError:
            status = self.call("GET", f"studies/{listing_id}/")["status"]
            if status not in ("AWAITING REVIEW", "COMPLETED"):
                raise

    def submissions(self, listing_id: str) -> Iterator[CrowdSubmissionReport]:
        for row in self.call.pages("submissions/", study=listing_id):
            if row["status"] in STATES:
                yield _report(row, listing_id, row["participant_id"])

    def session(self, session_id: str) -> CrowdSubmissionReport | None:
        try:
            row = self.call("GET", f"submissions/{session_id}/")
        except ProlificError as error:
            if error.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
                return None
            raise
        if row["status"] not in STATES:
            return None
        return _report(row, row["study_id"], row.get("participant") or "")

    def decide(self, submission_id: str, decision: Decision) -> None:
        if decision.is_override:
            raise CrowdError(
                "A rejection can be undone only on Prolific's own pages or through its support."
            )
        content, status = {"action": "APPROVE"}, "APPROVED"
        if not decision.is_approval:
            content, status = (
                {
                    "action": "REJECT",
                    "message": decision.feedback,
                    "rejection_category": CATEGORY.get(decision.ground, "OTHER"),
                },
                "REJECTED",
            )
        try:
            self.call("POST", f"submissions/{submission_id}/transition/", content)
        except ProlificError:
            if self.call("GET", f"submissions/{submission_id}/")["status"] != status:
                raise

    def bonus(
        self, bonus: BonusPayment, token: str, *, is_retry: bool, store: Callable[[str], None]
    ) -> None:
        draft = bonus.draft
        if not draft:
            # A lost draft costs nothing, and a draft that was paid cannot be paid again.
            content = {
                "study_id": bonus.listing_id,
                "csv_bonuses": f"{bonus.submission_id},{money.dollars(bonus.cents)}",
            }
            draft = str(self.call("POST", "submissions/bonus-payments/", content)["id"])
            store(draft)
        try:
            self.call("POST", f"bulk-bonus-payments/{draft}/pay/")
        except ProlificError:
            # If it was paid before, the submission lists it.
            row = self.call("GET", f"submissions/{bonus.submission_id}/")
            if bonus.cents not in row.get("bonus_payments", ()):
                raise

    def exclude(self, worker_id: str, provider_ids: ProviderIds) -> None:
        self._add_to_group(worker_id, provider_ids["exclusion"])

    def admit(self, worker_id: str, provider_ids: ProviderIds) -> None:
        self._add_to_group(worker_id, provider_ids["passed"])

    def return_url(self, code: str, offer: Offer) -> str:
        return RETURN + code

    def paid_totals(self, listing_ids: Sequence[str], offer: Offer) -> PaidTotals:
        places = approved = rewards = bonuses = 0
        for listing in listing_ids:
            study = self.call("GET", f"studies/{listing}/")
            places += study["total_available_places"]
            for row in self.call.pages("submissions/", study=listing):
                if STATES.get(row["status"]) == State.APPROVED:
                    approved += 1
                    rewards += study["reward"]
                bonuses += sum(row.get("bonus_payments") or ())
        return PaidTotals(len(listing_ids), places, approved, rewards, bonuses)

    def _group(self, name: str) -> str:
        """The id of the group with this name, which is created if it does not exist."""
        for group in self.call.pages("participant-groups/"):
            if group["name"] == name:
                return str(group["id"])
        return str(self.call("POST", "participant-groups/", {"name": name})["id"])

    def _add_to_group(self, worker_id: str, group: str) -> None:
        content = {"participant_ids": [worker_id]}
        self.call("POST", f"participant-groups/{group}/participants/", content)

    def _by_name(self, key: str) -> ProlificAnswer | None:
        for study in self.call.pages("studies/"):
            if study.get("internal_name") == key:
                return study
        return None


def _study(request: ListingRequest, spec: PublicationSpec) -> dict[str, object]:
    offer = spec.offer
    minutes = max(1, spec.minutes * offer.tasks_each // 2)
    filters: list[dict[str, object]] = [
        {
            "filter_id": "participant_group_blocklist",
            "selected_values": [request.provider_ids["exclusion"]],
        }
    ]
    if spec.groups:
        groups = {"selected_values": list(spec.groups)}
        filters.append({"filter_id": "participant_group_allowlist", **groups})
    if spec.approval_percent:
        # Prolific's range includes its lower end and has whole numbers only.
        lower = {"lower": spec.approval_percent + spec.approval_above, "upper": 100}
        filters.append({"filter_id": "approval_rate", "selected_range": lower})
    if spec.approved_hits:
        lower = {"lower": spec.approved_hits}
        filters.append({"filter_id": "approval_numbers", "selected_range": lower})
    return {
        "name": offer.title,
        "internal_name": request.key,
        "description": offer.description,
        "external_study_url": f"{request.url}?{PARAMETERS}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": request.code,
                "code_type": "COMPLETED",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        "estimated_completion_time": minutes,
        "maximum_allowed_time": minutes * 3 + 30,
        "reward": request.pay_cents,
        "total_available_places": request.places,
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "peripheral_requirements": [],
        "filters": filters,
    }


def _report(row: ProlificAnswer, listing_id: str, worker_id: str) -> CrowdSubmissionReport:
    return CrowdSubmissionReport(
        provider_id=row["id"],
        listing_id=listing_id,
        worker_id=worker_id,
        state=STATES[row["status"]],
        answer=row.get("study_code") or "",
        accepted_at=_time(row.get("started_at")),
        submitted_at=_time(row.get("completed_at")),
    )


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
