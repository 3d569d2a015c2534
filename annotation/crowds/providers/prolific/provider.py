"""Prolific as a provider: a listing is a study, a submission one participant's session.

Prolific takes no idempotency tokens, so whatever may have got through is looked for first: a
study by its internal name, a bonus among its submission's. Amounts are in cents of the account's
currency, which Prolific calls reward and the books call cents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from annotation.crowds.providers import money
from annotation.crowds.providers.money import Lot, Price
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.prolific.client import PRODUCTION, Client, ProlificError
from annotation.crowds.providers.provider import (
    Bonus,
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

LEAST_REJECTION = 100
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
    """`place`: production, or the address of a server that speaks the API."""

    name, title = "prolific", "Prolific"
    drafts_bonuses = True
    gives_groups = True

    def __init__(self, place: str) -> None:
        self.place = place
        self.call = Client(place)

    @property
    def is_real_money(self) -> bool:
        return not is_here(self.place)

    @property
    def is_public(self) -> bool:
        return self.place in ("", PRODUCTION)

    def price(self, lots: Sequence[Lot], offer: Offer) -> Price:
        return money.percent_price(lots, _share(offer))

    def fee(self, pay_cents: int, places: int, offer: Offer) -> int:
        return money.percentage(pay_cents, _share(offer))

    def bonus_fee(self, cents: int, offer: Offer) -> int:
        return money.percentage(cents, _share(offer))

    def balance(self) -> Decimal | None:
        found = self.call("GET", "users/me/").get("available_balance")
        return None if found is None else Decimal(found) / 100

    def preparations(self, order: Order) -> list[Preparation]:
        return [
            Preparation("exclusion", {"name": f"Not again: {order.uid}"}),
            Preparation("passed", {"name": f"Passed the test: {order.uid}"}),
        ]

    def prepare(self, what: Preparation, order: Order, known: Known, token: str) -> Known:
        group = self._group(what.payload["name"])
        return {"passed": group} if what.kind == "passed" else {"exclusion": group}

    def create(self, wanted: Wanted, order: Order, token: str, *, again: bool) -> str:
        found = self._by_name(wanted.key) if again else None
        if found is None:
            found = self.call("POST", "studies/", _study(wanted, order))
        if found["status"] == "UNPUBLISHED":
            self.call("POST", f"studies/{found['id']}/transition/", {"action": "PUBLISH"})
        return str(found["id"])

    def top_up(self, listing_id: str, more: int, target: int, token: str, *, again: bool) -> None:
        # Sent as the number that there shall be: twice is no more than once. It only ever grows.
        content = {"total_available_places": target}
        self.call("PATCH", f"studies/{listing_id}/", content)

    def expire(self, listing_id: str) -> None:
        try:
            self.call("POST", f"studies/{listing_id}/transition/", {"action": "STOP"})
        except ProlificError:
            now = self.call("GET", f"studies/{listing_id}/")["status"]
            if now not in ("AWAITING REVIEW", "COMPLETED"):
                raise

    def submissions(self, listing_id: str) -> Iterator[Submission]:
        for row in self.call.pages("submissions/", study=listing_id):
            state = STATES.get(row["status"])
            if state is not None:
                yield Submission(
                    provider_id=row["id"],
                    listing_id=listing_id,
                    worker_id=row["participant_id"],
                    state=state,
                    answer=row.get("study_code") or "",
                    accepted_at=_time(row.get("started_at")),
                    submitted_at=_time(row.get("completed_at")),
                )

    def approve(self, submission_id: str, feedback: str, *, override: bool) -> None:
        if override:
            raise CrowdError(
                "Prolific takes a rejection back only on its own pages, or through its support."
            )
        self._decide(submission_id, {"action": "APPROVE"}, "APPROVED")

    def reject(self, submission_id: str, feedback: str, ground: str = "") -> None:
        if len(feedback) < LEAST_REJECTION:
            raise CrowdError(f"Prolific wants {LEAST_REJECTION} characters of feedback at least.")
        content = {
            "action": "REJECT",
            "message": feedback,
            "rejection_category": CATEGORY.get(ground, "OTHER"),
        }
        self._decide(submission_id, content, "REJECTED")

    def draft_bonus(self, bonus: Bonus, listing_id: str) -> str:
        content = {
            "study_id": listing_id,
            "csv_bonuses": f"{bonus.submission_id},{money.dollars(bonus.cents)}",
        }
        return str(self.call("POST", "submissions/bonus-payments/", content)["id"])

    def bonus(self, bonus: Bonus, token: str, *, again: bool, draft: str = "") -> None:
        try:
            self.call("POST", f"bulk-bonus-payments/{draft}/pay/")
        except ProlificError:
            # Paid already, it says: then the submission has it.
            row = self.call("GET", f"submissions/{bonus.submission_id}/")
            if bonus.cents not in row.get("bonus_payments", ()):
                raise

    def exclude(self, worker_id: str, known: Known) -> None:
        self._put(worker_id, known["exclusion"])

    def admit(self, worker_id: str, known: Known) -> None:
        self._put(worker_id, known["passed"])

    def return_url(self, code: str, offer: Offer) -> str:
        return RETURN + code

    def paid(self, listing_ids: Sequence[str], offer: Offer) -> Paid:
        places = approved = rewards = bonuses = 0
        for listing in listing_ids:
            study = self.call("GET", f"studies/{listing}/")
            places += study["total_available_places"]
            for row in self.call.pages("submissions/", study=listing):
                if STATES.get(row["status"]) == State.APPROVED:
                    approved += 1
                    rewards += study["reward"]
                bonuses += sum(row.get("bonus_payments") or ())
        return Paid(len(listing_ids), places, approved, rewards, bonuses)

    def _group(self, name: str) -> str:
        """The id of the group of this name, which is made where there is none."""
        for group in self.call.pages("participant-groups/"):
            if group["name"] == name:
                return str(group["id"])
        return str(self.call("POST", "participant-groups/", {"name": name})["id"])

    def _put(self, worker_id: str, group: str) -> None:
        content = {"participant_ids": [worker_id]}
        self.call("POST", f"participant-groups/{group}/participants/", content)

    def _decide(self, submission_id: str, content: dict[str, str], wanted: str) -> None:
        try:
            self.call("POST", f"submissions/{submission_id}/transition/", content)
        except ProlificError:
            if self.call("GET", f"submissions/{submission_id}/")["status"] != wanted:
                raise

    def _by_name(self, key: str) -> dict[str, Any] | None:
        for study in self.call.pages("studies/"):
            if study.get("internal_name") == key:
                return study
        return None


def _study(wanted: Wanted, order: Order) -> dict[str, Any]:
    offer = order.offer
    minutes = max(1, order.minutes * offer.tasks_each // 2)
    filters: list[dict[str, Any]] = [
        {
            "filter_id": "participant_group_blocklist",
            "selected_values": [wanted.known["exclusion"]],
        }
    ]
    if order.groups:
        groups = {"selected_values": list(order.groups)}
        filters.append({"filter_id": "participant_group_allowlist", **groups})
    if order.approval_percent:
        # Prolific's range includes its lower end and takes whole numbers.
        lower = {"lower": order.approval_percent + order.approval_above, "upper": 100}
        filters.append({"filter_id": "approval_rate", "selected_range": lower})
    if order.approved_hits:
        lower = {"lower": order.approved_hits}
        filters.append({"filter_id": "approval_numbers", "selected_range": lower})
    return {
        "name": offer.title,
        "internal_name": wanted.key,
        "description": offer.description,
        "external_study_url": f"{wanted.url}?{PARAMETERS}",
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": wanted.code,
                "code_type": "COMPLETED",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        "estimated_completion_time": minutes,
        "maximum_allowed_time": minutes * 3 + 30,
        "reward": wanted.pay_cents,
        "total_available_places": wanted.places,
        "device_compatibility": ["desktop", "tablet", "mobile"],
        "peripheral_requirements": [],
        "filters": filters,
    }


def _share(offer: Offer) -> Decimal:
    return Decimal(offer.fee_percent or "0") / 100


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None
