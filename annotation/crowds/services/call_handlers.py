"""The handlers of calls: the request to the provider, and the update here once it is done."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Payment, Publication
from annotation.crowds.providers.provider import (
    BonusPayment,
    CrowdBusyError,
    CrowdError,
    Decision,
    ListingRequest,
    PlatformPreparation,
    Provider,
    ProviderIds,
    PublicationSpec,
)
from annotation.crowds.services import identities, payment_totals
from annotation.crowds.services.pages import url_of
from annotation.rating.models import Worker

LISTING_RANK = 5  # preparations have lower ranks, ending a publication a higher one
Result = dict[str, object]


def perform(call: CrowdCall, provider: Provider, spec: PublicationSpec, *, at: datetime) -> Result:
    """Make the call at the provider. `apply` stores the consequences.

    Raises CrowdError, whose message contains no worker's id.
    """
    is_retry = _may_have_succeeded(call, provider, at)
    payload = call.payload
    match call.kind:
        case "create":
            listing = _listing(call)
            request = ListingRequest(
                key=listing.key,
                places=payload["places"],
                pay_cents=listing.pay_cents,
                url=url_of(listing),
                code=listing.publication.completion_code,
                provider_ids=_provider_ids(call),
            )
            return {"id": provider.create(request, spec, call.key, is_retry=is_retry)}
        case "top up":
            more, target = payload["more"], payload["target"]
            listing_id = _listing(call).provider_id
            provider.add_places(listing_id, more, target, call.key, is_retry=is_retry)
        case "expire":
            if _is_listed(call):
                provider.stop(_listing(call).provider_id)
        case "approve" | "reject":
            decision = Decision(
                is_approval=call.kind == "approve",
                feedback=payload.get("feedback", ""),
                ground=payload.get("ground", ""),
                is_override=payload.get("override", False),
            )
            provider.decide(_crowd(call).provider_id, decision)
        case "bonus":
            crowd = _crowd(call)
            with identities.opened_for(crowd.participation.worker) as worker_id:
                bonus = BonusPayment(
                    crowd.provider_id,
                    _listing(call).provider_id,
                    worker_id,
                    payload["cents"],
                    payload["reason"],
                    payload.get("draft", ""),
                )
                store = partial(_store_draft, call)
                provider.bonus(bonus, call.key, is_retry=is_retry, store=store)
        case "exclude":
            with identities.opened_for(_worker(call)) as worker_id:
                provider.exclude(worker_id, _provider_ids(call))
        case "admit":
            with identities.opened_for(_worker(call)) as worker_id:
                provider.admit(worker_id, _provider_ids(call))
        case _:
            preparation = PlatformPreparation(call.kind, payload, call.rank)
            return {
                "provider_ids": provider.prepare(preparation, spec, _provider_ids(call), call.key)
            }
    return {}


def apply(call: CrowdCall, result: Result, *, at: datetime) -> None:
    """Store the consequences of a completed call, in the transaction that completes it."""
    match call.kind:
        case "create":
            Listing.objects.filter(pk=_listing(call).pk).update(provider_id=result["id"])
        case "expire":
            Listing.objects.filter(pk=_listing(call).pk, expired_at=None).update(expired_at=at)
        case "approve":
            _decide(call, CrowdAssignment.Status.APPROVED, at)
            payment_totals.record_reward(_crowd(call), call=call, at=at)
        case "reject":
            _decide(call, CrowdAssignment.Status.REJECTED, at)
        case "bonus":
            Payment.objects.create(
                crowd_assignment=_crowd(call),
                kind=Payment.Kind.BONUS,
                cents=call.payload["cents"],
                fee_cents=call.cents - call.payload["cents"],
                reason=call.payload["reason"],
                call=call,
                at=at,
            )
        case _ if "provider_ids" in result:
            publication = Publication.objects.select_for_update().get(pk=call.publication_id)
            provider_ids = result["provider_ids"]
            assert isinstance(provider_ids, dict)
            publication.provider_ids = _merge(publication.provider_ids, provider_ids)
            publication.save(update_fields=["provider_ids"])


def _is_listed(call: CrowdCall) -> bool:
    """Whether the provider has the call's listing. Raises CrowdBusyError while it is being
    created."""
    listing = _listing(call)
    if listing.provider_id:
        return True
    unfinished = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED)
    if listing.calls.filter(kind="create", status__in=unfinished).exists():
        raise CrowdBusyError("The listing is being created. It is ended after that.")
    return False


def _store_draft(call: CrowdCall, draft: str) -> None:
    """Store the id of a bonus's draft before the bonus is paid."""
    call.payload = {**call.payload, "draft": draft}
    if not call.held.update(payload=call.payload):
        raise CrowdBusyError("Another process is paying this bonus.")


def _may_have_succeeded(call: CrowdCall, provider: Provider, at: datetime) -> bool:
    """Whether an earlier attempt may have succeeded and its token may be forgotten."""
    if call.attempt <= 1 or call.first_tried_at is None:
        return False
    lifetime: timedelta = provider.token_lifetime
    return at - call.first_tried_at >= lifetime


def _decide(call: CrowdCall, status: CrowdAssignment.Status, at: datetime) -> None:
    CrowdAssignment.objects.filter(pk=_crowd(call).pk).update(
        status=status, feedback=call.payload.get("feedback", ""), decided_at=at
    )


def _merge(old: dict[str, object], new: dict[str, object]) -> dict[str, object]:
    """Merge two mappings; nested mappings are merged too."""
    merged = dict(old)
    for name, value in new.items():
        previous = merged.get(name)
        if isinstance(previous, dict) and isinstance(value, dict):
            value = {**previous, **value}
        merged[name] = value
    return merged


def _provider_ids(call: CrowdCall) -> ProviderIds:
    # Read again, because another process may have made a preparation in the meantime.
    provider_ids: ProviderIds = Publication.objects.values_list("provider_ids", flat=True).get(
        pk=call.publication_id
    )
    return provider_ids


def _listing(call: CrowdCall) -> Listing:
    if call.listing is None:
        raise CrowdError(f"The call {call} has no listing.")
    return call.listing


def _worker(call: CrowdCall) -> Worker:
    return Worker.objects.get(participations=call.payload["participation"])


def _crowd(call: CrowdCall) -> CrowdAssignment:
    if call.crowd_assignment is None:
        raise CrowdError(f"The call {call} has no assignment.")
    return call.crowd_assignment
