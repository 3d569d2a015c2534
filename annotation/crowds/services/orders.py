"""What a publication asks of its provider, read from its study: requirements, test, lots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from annotation.crowds.models import Publication
from annotation.crowds.providers.money import Lot, parts
from annotation.crowds.providers.offer import Offer
from annotation.crowds.providers.provider import Order, Provider, Test, TestItem
from annotation.crowds.providers.registry import provider_at
from annotation.identities.sealing import Sealed
from annotation.rating.models import Hit
from annotation.stages.services.stage_plans import planned_hits
from annotation.studies.models import Stage, Study


def provider_of(publication: Publication) -> Provider:
    return provider_at(publication.provider, publication.place)


def kept_offer(offer: Offer) -> dict[str, Any]:
    """The offer as its publication keeps it: whom it invites is sealed."""
    invited = [Sealed.of(name).token for name in offer.invited]
    return {**offer.to_json(), "invited": invited}


def offer_of(publication: Publication) -> Offer:
    """What was offered; `invited` holds sealed names (`progress.invitations` opens them)."""
    return Offer.from_json(publication.offer)


def order_of(publication: Publication) -> Order:
    """Everything but the listings themselves. The study's protocol as it is now."""
    study = publication.stage.study
    protocol = study.current.protocol
    provider, offer = provider_of(publication), offer_of(publication)
    pays = publication.listings.order_by().values_list("pay_cents", flat=True).distinct()
    return Order(
        uid=publication.uid,
        offer=offer,
        pays=tuple(sorted(pays)),
        minutes=protocol.time_limit_minutes,
        approval_percent=protocol.requirements.approval_percent,
        approval_above=protocol.requirements.approval_above,
        approved_hits=protocol.requirements.approved_hits,
        locales=protocol.requirements.locales,
        test=test_of(study) if provider.gives_tests else None,
        groups=_groups_of_those_who_passed(publication) if offer.only_passed else (),
    )


def _groups_of_those_who_passed(publication: Publication) -> tuple[str, ...]:
    """The groups that what was published of the study before has at the same place."""
    before = Publication.objects.filter(
        stage__study=publication.stage.study_id,
        provider=publication.provider,
        place=publication.place,
        known__has_key="passed",
    ).exclude(pk=publication.pk)
    return tuple(str(one.known["passed"]) for one in before.order_by("pk"))


def test_of(study: Study) -> Test | None:
    """The study's qualification stage as a test that a platform can give; None without one.

    Raises StudyError when its candidates are lacking.
    """
    protocol = study.current.protocol
    rules = protocol.qualification
    stage = study.stages.filter(kind=Stage.Kind.QUALIFICATION).select_related("study").first()
    if rules is None or stage is None:
        return None
    items = []
    for candidate in planned_hits(stage).candidates.values():
        expected = candidate.expected or 0
        right = [p.value for p in protocol.scale if abs(p.value - expected) <= rules.tolerance]
        items.append(
            TestItem(
                f"c{candidate.pk}",
                candidate.instance.passage,
                candidate.instance.question,
                tuple(candidate.instance.references),
                candidate.text,
                tuple(right),
            )
        )
    return Test(
        title=f"Test: {study.title}",
        question=protocol.question,
        instructions="\n\n".join(filter(None, (protocol.instructions, protocol.examples))),
        scale=tuple((point.value, point.label) for point in protocol.scale),
        items=tuple(items),
        pass_percent=round(100 * rules.pass_share),
        minutes=protocol.time_limit_minutes,
        tries=rules.tries,
    )


def places_of(hit: Hit, provider: Provider, *, split: bool) -> list[int]:
    """How many workers each listing of a HIT asks for."""
    if not hit.open_slots:
        return []
    if split and provider.most_places:
        return parts(hit.open_slots, provider.most_places)
    return [hit.open_slots]


def lots_of(
    hits: Sequence[Hit], provider: Provider, offer: Offer, *, split: bool | None = None
) -> list[Lot]:
    """The listings that the HITs make, those alike counted together."""
    split = offer.split if split is None else split
    if provider.pays_what_was_earned:
        split = False
    elif not provider.listing_per_hit:
        return session_lots(hits, offer)
    found: Counter[tuple[int, int]] = Counter()
    for hit in hits:
        for places in places_of(hit, provider, split=split):
            found[places, hit.pay_cents] += 1
    return [Lot(count, places, pay) for (places, pay), count in sorted(found.items())]


def session_lots(hits: Sequence[Hit], offer: Offer) -> list[Lot]:
    """One listing whose places stand for several tasks each, at the pay of the dearest."""
    tasks = sum(hit.open_slots for hit in hits)
    if not tasks:
        return []
    each = min(offer.tasks_each, len(hits))
    return [Lot(1, -(-tasks // each), each * max(hit.pay_cents for hit in hits))]
