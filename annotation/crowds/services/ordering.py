"""Ordering places from a provider: those that a stage lacks, what they cost, and the calls.

A draft has no listings, so its stage lacks every place, and the first order publishes it. Later
orders are for HITs that were added, work that did not count, and places that expired.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Aggregate, Count, Model, QuerySet, Sum

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Publication
from annotation.crowds.providers import money
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import AccountError, CrowdError, Provider
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.payment_totals import committed_cents
from annotation.crowds.services.publication_specs import (
    offer_of,
    provider_of,
    queue_of,
    spec_of,
)
from annotation.crowds.services.syncing import SUBMITTED_STATES, enqueue_exclusions
from annotation.rating.models import Assignment, Hit
from annotation.studies.models import Stage
from core import audit
from core.refusals import RefusedError

Status = Publication.Status
IN_PROGRESS_STATES = (CrowdAssignment.Status.ACCEPTED, CrowdAssignment.Status.RATED)


@dataclass(frozen=True, slots=True)
class Lot:
    """Places to order: of `listing`, or of a new listing of `hit` as its `part`.

    `price` is what a place costs with the fee.
    """

    places: int
    pay_cents: int
    price: int
    listing: Listing | None = None
    hit: Hit | None = None
    part: int = 1


@dataclass(frozen=True)
class MissingPlaces:
    """The places that a stage lacks at the provider, and their cost in cents."""

    lots: tuple[Lot, ...]

    @property
    def places(self) -> int:
        return sum(lot.places for lot in self.lots)

    @property
    def rewards(self) -> int:
        return sum(lot.places * lot.pay_cents for lot in self.lots)

    @property
    def fees(self) -> int:
        return self.total - self.rewards

    @property
    def total(self) -> int:
        return sum(lot.places * lot.price for lot in self.lots)

    @property
    def new_listings(self) -> int:
        return sum(lot.listing is None for lot in self.lots)


def missing(publication: Publication, *, split: bool | None = None, at: datetime) -> MissingPlaces:
    """The places to order. Makes no calls.

    `split` is the offer's unless it is given. Raises RefusedError for a publication that
    has ended, and for a draft of which nothing can be rated.
    """
    if publication.status == Status.ENDED:
        raise RefusedError("This publication has ended.", "study-refused")
    offer = offer_of(publication)
    split = offer.split if split is None else split
    counts = _count_missing(publication)
    return MissingPlaces(tuple(_lots(publication, counts, offer, at, split=split)))


def order(publication: Publication, *, confirmed: str, by: User | None, at: datetime) -> int:
    """Queue the calls for the missing places, and publish a draft; returns how many places.

    `confirmed` is their cost with fees as it was shown, such as "12.34"; for real money a person
    typed it. Raises RefusedError or CrowdError, and then nothing has changed.
    """
    provider = provider_of(publication)
    if publication.status == Status.DRAFT and needs_https(publication):
        raise RefusedError(
            f"{provider.title} sends workers to HTTPS addresses only, but this site's address is "
            f"{publication.site}. Nothing was published.",
            "study-refused",
        )
    check_account(publication, missing(publication, at=at).total)
    with transaction.atomic():
        Stage.objects.select_for_update().get(pk=publication.stage_id)
        publication = (
            Publication.objects.select_for_update(of=("self",))
            .select_related("stage__study")
            .get(pk=publication.pk)
        )
        wanted = missing(publication, at=at)
        if not wanted.places:
            return 0
        _check_confirmed(confirmed, wanted.total)
        check_budget(publication, wanted.total)
        is_draft = publication.status == Status.DRAFT
        if is_draft:
            _go_live(publication, wanted.total, by, at)
        new = [lot for lot in wanted.lots if lot.listing is None]
        listings = Listing.objects.bulk_create(_listing(publication, lot) for lot in new)
        _enqueue_preparations(publication, at)
        if is_draft:
            enqueue_exclusions(publication, at=at)  # before workers can accept anything
        calls = [
            _call(publication, "create", listing, lot, by, at)
            for listing, lot in zip(listings, new, strict=True)
        ]
        calls += [
            _call(publication, "top up", _with_more_places(lot.listing, lot.places), lot, by, at)
            for lot in wanted.lots
            if lot.listing is not None
        ]
        CrowdCall.objects.bulk_create(calls)
        about = {
            "crowd": provider.title,
            "listings": len(listings),
            "places": wanted.places,
            "cents": wanted.total,
            "budget_cents": publication.budget_cents,
        }
        action = "crowd.published" if is_draft else "crowd.topped up"
        audit.record(by, action, publication, after=about, study=publication.stage.study)
    return wanted.places


def needs_https(publication: Publication) -> bool:
    """Whether workers come from the public internet while this site has no HTTPS."""
    is_public = provider_of(publication).is_public
    return is_public and not publication.site.startswith("https://")


def check_account(publication: Publication, cents: int) -> Decimal | None:
    """The provider's balance.

    Raises CrowdError without credentials, with too little money, and if the notification queue
    cannot be read.
    """
    try:
        balance = provider_of(publication).balance()
    except AccountError as error:
        raise AccountError(f"Nothing was published. {error}") from error
    if balance is not None and balance * 100 < cents:
        raise CrowdError(
            f"The account's balance is ${balance:,.2f}, but this costs ${money.dollars(cents)}. "
            "Add money to it or publish less. Nothing was published."
        )
    if offer_of(publication).queue:
        queue_of(publication).check()
    return balance


def check_budget(publication: Publication, cents: int) -> None:
    """Raises RefusedError if `cents` more would exceed the budget.

    The publication must be locked, so that two actions cannot spend the same money.
    """
    if publication.budget_cents is None:
        return
    committed = committed_cents(publication)
    if committed + cents > publication.budget_cents:
        raise RefusedError(
            f"The budget is ${money.dollars(publication.budget_cents)}; "
            f"${money.dollars(committed)} of it is committed, and this costs "
            f"${money.dollars(cents)}. Raise the budget or spend less. Nothing was changed.",
            "study-refused",
        )


def _check_confirmed(confirmed: str, cents: int) -> None:
    if confirmed.strip().lstrip("$").replace(",", "") != money.dollars(cents):
        raise RefusedError(
            f"The cost is ${money.dollars(cents)}, but another amount was confirmed. Check the "
            "cost and confirm the exact amount. Nothing was published.",
            "study-refused",
        )


def _go_live(publication: Publication, cents: int, by: User | None, at: datetime) -> None:
    if offer_of(publication).only_passed and not spec_of(publication).groups:
        raise RefusedError(
            "No earlier publication of this study exists there, so nobody there has passed its "
            "test yet. Untick the option for workers who passed. Nothing was published.",
            "study-refused",
        )
    publication.status = Status.LIVE
    publication.confirmed_cents, publication.confirmed_by = cents, by
    publication.confirmed_at = at
    publication.save()


def _count_missing(publication: Publication) -> list[tuple[Hit | None, int]]:
    """Places to order, by HIT (None for platforms with one listing).

    They are the HIT's open slots minus the places that can still be filled: the places of its live
    listings without those submitted or in progress. A worker in progress may have got another HIT
    instead.
    """
    is_test = publication.stage.kind == Stage.Kind.QUALIFICATION
    stage = publication.stage
    if stage.paused_at is not None:
        raise RefusedError(f"The {stage.kind} stage is paused. Resume it first.", "study-refused")
    if publication.status == Status.DRAFT:
        _check_stage(publication, is_test=is_test)
    elif is_test:
        return []  # its offer says how many workers take the test
    offer = offer_of(publication)
    hits = list(publication.stage.hits.filter(open_slots__gt=0).order_by("index"))
    rows = CrowdAssignment.objects.filter(publication=publication)
    if not provider_of(publication).listing_per_hit:
        each = min(offer.tasks_each, len(hits)) or 1
        submitted = rows.filter(status__in=SUBMITTED_STATES).count()
        ordered = publication.listings.aggregate(n=Sum("places"))["n"] or 0
        sessions = -(-sum(hit.open_slots for hit in hits) // each)
        counts: list[tuple[Hit | None, int]] = [(None, sessions - max(0, ordered - submitted))]
    else:
        live = rows.filter(listing__expired_at=None)
        pending = _sums(publication.listings.filter(expired_at=None), "hit", Sum("places"))
        handed_in = live.filter(status__in=SUBMITTED_STATES)
        in_hand = live.filter(
            status__in=IN_PROGRESS_STATES, assignment__status=Assignment.Status.HELD
        )
        for used in (handed_in, in_hand):
            for pk, count in _sums(used, "listing__hit", Count("pk")).items():
                pending[pk] -= count
        # Any number of workers may take a test; the offer says how many are paid for it.
        most = offer.test_places if is_test else None
        counts = [
            (hit, min(hit.open_slots, most or hit.open_slots) - max(0, pending.get(hit.pk, 0)))
            for hit in hits
        ]
    return [(hit, count) for hit, count in counts if count > 0]


def _check_stage(publication: Publication, *, is_test: bool) -> None:
    """Raises RefusedError if the draft's stage cannot be published."""
    stage = publication.stage
    if is_test and not provider_of(publication).has_tests:
        raise RefusedError(
            "The qualification stage cannot be published there: the platform or this site runs its "
            "test. Publish the trial or full stage.",
            "study-refused",
        )
    if stage.status == Stage.Status.PLANNED:
        raise RefusedError(
            f"The {stage.kind} stage is not open yet. Open it on the page Stages; then this draft "
            "shows its cost and can be published.",
            "study-refused",
        )
    if stage.status != Stage.Status.OPEN or not stage.hits.filter(open_slots__gt=0).exists():
        raise RefusedError(
            f"The {stage.kind} stage has no open HITs. Open the stage, or recruit its missing "
            "raters.",
            "study-refused",
        )


def _sums(rows: QuerySet[Model], by: str, total: Aggregate) -> dict[int, int]:
    return dict(rows.order_by().values_list(by).annotate(n=total))


def _lots(
    publication: Publication,
    counts: list[tuple[Hit | None, int]],
    offer: Offer,
    at: datetime,
    *,
    split: bool,
) -> Iterator[Lot]:
    """How to get the missing places: more places of existing listings, or new listings.

    A HIT of MTurk with fewer than ten assignments cannot be extended to ten or more, and an expired
    one gets no workers; a new listing is always possible.
    """
    provider = provider_of(publication)
    listings: dict[int | None, list[Listing]] = defaultdict(list)
    for row in publication.listings.order_by("part"):
        listings[row.hit_id].append(row)
    for hit, places in counts:
        last = listings[hit.pk if hit else None][-1:]
        if last and _takes_more(last[0], places, provider, offer, at):
            pay = last[0].pay_cents
            price = provider.price(pay, offer, last[0].places + places)
            yield Lot(places, pay, price, listing=last[0])
            continue
        if hit is not None:
            pay = hit.pay_cents
        else:
            pay = last[0].pay_cents if last else _session_pay(publication, offer)
        max_part = (provider.max_places_at_lower_fee if split else None) or places
        first = last[0].part + 1 if last else 1
        for part, count in enumerate(money.split_places(places, max_part), start=first):
            yield Lot(count, pay, provider.price(pay, offer, count), hit=hit, part=part)


def _session_pay(publication: Publication, offer: Offer) -> int:
    """The pay of a session of several tasks, as if all cost the most."""
    pays = publication.stage.hits.filter(open_slots__gt=0).values_list("pay_cents", flat=True)
    return min(offer.tasks_each, len(pays)) * max(pays)


def _takes_more(
    listing: Listing, more: int, provider: Provider, offer: Offer, at: datetime
) -> bool:
    if not listing.provider_id or listing.expired_at is not None:
        return False
    if provider.max_places_at_lower_fee is None:
        return True
    creation = listing.calls.filter(kind="create", done_at__isnull=False).first()
    # In the hour before its end new workers might not find it.
    lifetime = timedelta(hours=offer.lifetime_hours - 1)
    is_open = (
        creation is not None and creation.done_at is not None and at < creation.done_at + lifetime
    )
    has_higher_fee = listing.places > provider.max_places_at_lower_fee
    return is_open and (has_higher_fee or listing.places + more <= provider.max_places_at_lower_fee)


def _listing(publication: Publication, lot: Lot) -> Listing:
    return Listing(
        publication=publication,
        hit=lot.hit,
        part=lot.part,
        places=lot.places,
        pay_cents=lot.pay_cents,
        key=f"{publication.uid}-{lot.hit.pk if lot.hit else 0}-{lot.part}",
    )


def _with_more_places(listing: Listing, more: int) -> Listing:
    """The listing, whose new places count as ordered from now on."""
    listing.places += more
    listing.save(update_fields=["places"])
    return listing


def _enqueue_preparations(publication: Publication, at: datetime) -> None:
    """Queue the provider's preparations; those queued before are not queued again."""
    CrowdCall.objects.bulk_create(
        [
            CrowdCall(
                publication=publication,
                kind=preparation.kind,
                rank=preparation.rank,
                key=(
                    f"{publication.uid}-{preparation.kind}-"
                    f"{preparation.payload.get('pay_cents', 0)}"
                ),
                payload=preparation.payload,
                created_at=at,
            )
            for preparation in provider_of(publication).preparations(spec_of(publication))
        ],
        ignore_conflicts=True,
    )


def _call(
    publication: Publication, kind: str, listing: Listing, lot: Lot, by: User | None, at: datetime
) -> CrowdCall:
    """The call that creates a listing, or asks for more places of it."""
    if kind == "create":
        key = f"{publication.uid}-list-{listing.pk}"
        payload = {"places": lot.places}
    else:
        key = f"{publication.uid}-more-{listing.pk}-{listing.places}"
        payload = {"more": lot.places, "target": listing.places}
    return CrowdCall(
        publication=publication,
        kind=kind,
        rank=LISTING_RANK,
        key=key,
        payload=payload,
        listing=listing,
        cents=lot.places * lot.price,
        requested_by=by,
        created_at=at,
    )
