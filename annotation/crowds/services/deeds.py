"""What each kind of call does at the provider, and what follows here once it is done."""

from __future__ import annotations

from datetime import datetime, timedelta

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Payment, Publication
from annotation.crowds.providers.provider import (
    Bonus,
    CrowdBusyError,
    CrowdError,
    Known,
    Order,
    Preparation,
    Provider,
    Wanted,
)
from annotation.crowds.services import books, identities
from annotation.crowds.services.pages import code_of, page_of, url_of
from annotation.rating.models import Worker

LISTING_RANK = 5  # of every call but preparations, which have lower ones
Result = dict[str, object]


def perform(call: CrowdCall, provider: Provider, order: Order, *, at: datetime) -> Result:
    """Make the call at the provider. Raises CrowdError, whose message names no worker. What
    follows from it, `apply` writes."""
    again = _may_have_got_through(call, provider, at)
    given = call.payload
    match call.kind:
        case "create":
            listing = _listing(call)
            wanted = Wanted(
                key=listing.key,
                places=given["places"],
                pay_cents=listing.pay_cents,
                url=url_of(listing),
                page=page_of(listing) if order.offer.question == "html" else "",
                code=code_of(listing.publication),
                known=_known(call),
            )
            return {"id": provider.create(wanted, order, call.key, again=again)}
        case "top up":
            provider.top_up(
                _listing(call).provider_id, given["more"], given["target"], call.key, again=again
            )
        case "expire":
            if _is_listed(call):
                provider.expire(_listing(call).provider_id)
        case "approve":
            provider.approve(
                _crowd(call).provider_id, given.get("feedback", ""), override=given["override"]
            )
        case "reject":
            provider.reject(_crowd(call).provider_id, given["feedback"], given.get("ground", ""))
        case "bonus":
            crowd = _crowd(call)
            with identities.opened_for(crowd.participation.worker) as worker_id:
                bonus = Bonus(crowd.provider_id, worker_id, given["cents"], given["reason"])
                draft = _bonus_draft(call, provider, bonus)
                provider.bonus(bonus, call.key, again=again, draft=draft)
        case "exclude":
            with identities.opened_for(_worker(call)) as worker_id:
                provider.exclude(worker_id, _known(call))
        case "admit":
            with identities.opened_for(_worker(call)) as worker_id:
                provider.admit(worker_id, _known(call))
        case _:
            what = Preparation(call.kind, given, call.rank)
            return {"known": provider.prepare(what, order, _known(call), call.key)}
    return {}


def apply(call: CrowdCall, result: Result, *, at: datetime) -> None:
    """What follows from a call that is done. In the transaction that writes it down."""
    match call.kind:
        case "create":
            Listing.objects.filter(pk=_listing(call).pk).update(provider_id=result["id"])
        case "expire":
            Listing.objects.filter(pk=_listing(call).pk, expired_at=None).update(expired_at=at)
        case "approve":
            _decide(call, CrowdAssignment.Status.APPROVED, at)
            books.note_reward(_crowd(call), call=call, at=at)
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
        case _ if "known" in result:
            publication = Publication.objects.select_for_update().get(pk=call.publication_id)
            known = result["known"]
            assert isinstance(known, dict)
            publication.known = _merged(publication.known, known)
            publication.save(update_fields=["known"])


def _is_listed(call: CrowdCall) -> bool:
    """Whether the provider has the call's listing; waits for one that is just being made."""
    listing = _listing(call)
    if listing.provider_id:
        return True
    under_way = (CrowdCall.Status.WAITING, CrowdCall.Status.STARTED)
    if listing.calls.filter(kind="create", status__in=under_way).exists():
        raise CrowdBusyError("The listing is being made; it ends after that.")
    return False


def _bonus_draft(call: CrowdCall, provider: Provider, bonus: Bonus) -> str:
    """What names the bonus where the platform drafts it first. Written down before it is paid: a
    draft that was lost costs nothing, and one that was paid cannot be paid again."""
    if not provider.drafts_bonuses:
        return ""
    if "draft" not in call.payload:
        draft = provider.draft_bonus(bonus, _listing(call).provider_id)
        call.payload = {**call.payload, "draft": draft}
        if not call.held.update(payload=call.payload):
            raise CrowdBusyError("Another process has taken this bonus on.")
    return str(call.payload["draft"])


def _may_have_got_through(call: CrowdCall, provider: Provider, at: datetime) -> bool:
    """Whether an earlier try may have done the deed and its token is not to be relied on."""
    if call.attempt <= 1 or call.first_tried_at is None:
        return False
    lasts: timedelta = provider.tokens_last
    return at - call.first_tried_at >= lasts


def _decide(call: CrowdCall, status: CrowdAssignment.Status, at: datetime) -> None:
    CrowdAssignment.objects.filter(pk=_crowd(call).pk).update(
        status=status, feedback=call.payload.get("feedback", ""), decided_at=at
    )


def _merged(old: dict[str, object], new: dict[str, object]) -> dict[str, object]:
    """Both; where both hold a mapping, both of those."""
    found = dict(old)
    for name, value in new.items():
        before = found.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            value = {**before, **value}
        found[name] = value
    return found


def _known(call: CrowdCall) -> Known:
    # Read anew: another process may have made a preparation meanwhile.
    known: Known = Publication.objects.values_list("known", flat=True).get(pk=call.publication_id)
    return known


def _listing(call: CrowdCall) -> Listing:
    if call.listing is None:
        raise CrowdError(f"The call {call} names no listing.")
    return call.listing


def _worker(call: CrowdCall) -> Worker:
    return Worker.objects.get(participations=call.payload["participation"])


def _crowd(call: CrowdCall) -> CrowdAssignment:
    if call.crowd_assignment is None:
        raise CrowdError(f"The call {call} names no assignment.")
    return call.crowd_assignment
