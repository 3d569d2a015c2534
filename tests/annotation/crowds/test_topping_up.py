"""More places: how many, where, at what cost; and what those cost that nobody will take."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdCall, Listing, Publication
from annotation.crowds.services import ordering, payment_totals, publishing, reviewing, syncing
from core.refusals import RefusedError
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import OFFER, make_study, published, requester
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db
WEEK = timedelta(hours=OFFER.lifetime_hours, minutes=1)


def a_week_later(publication: Publication, sandbox: Sandbox) -> None:
    sandbox.advance(WEEK.total_seconds())
    syncing.sync(publication, at=now() + WEEK)


def test_topping_up_requests_only_missing_places(sandbox: Sandbox) -> None:
    study = make_study(2, scenes.small(ratings=2))
    publication = published(study, sandbox.url)
    assert scenes.topped_up(publication) == 0
    hit = scenes.full_stage(study).hits.first()
    assert hit is not None
    for ratings, more, there in ((5, 3, [2, 5]), (9, 4, [2, 9]), (11, 2, [2, 2, 9])):
        hit.wanted, hit.open_slots = ratings, ratings
        hit.save()
        assert scenes.topped_up(publication) == more
        assert scenes.topped_up(publication) == 0
        # The answer to the first call is lost; it is made again, and asks for no more.
        sandbox.engine.options.faults.change({"die_at": 1})
        assert scenes.send(publication).left == 0
        hits = requester(sandbox.url).list_hits()["HITs"]
        assert sorted(one["MaxAssignments"] for one in hits) == there
    assert payment_totals.refresh(publication, at=now()).matches


def test_expired_places_are_missing_and_those_in_progress_are_not(
    sandbox: Sandbox,
) -> None:
    publication = published(make_study(1, scenes.small(ratings=4)), sandbox.url)
    listing = publication.listings.get()
    Turker(sandbox, "ADONE").qualified(publication).do(listing)
    holder = Turker(sandbox, "AHOLDS").qualified(publication).accept(listing)
    holder.open()
    assert ordering.missing(publication, at=now()).places == 0
    sandbox.advance(WEEK.total_seconds() - 600)
    late = Turker(sandbox, "ALATE").qualified(publication).accept(listing)
    late.open()
    a_week_later(publication, sandbox)
    assert listing.hit is not None
    listing.hit.refresh_from_db()
    assert listing.hit.open_slots == 1
    missing = ordering.missing(publication, at=now() + WEEK)
    assert (missing.places, missing.new_listings, missing.total) == (1, 1, 4)


def test_unused_places_free_the_budget_after_expiry(sandbox: Sandbox) -> None:
    publication = published(make_study(1, scenes.small(ratings=4)), sandbox.url, budget_cents=16)
    done = Turker(sandbox, "ADONE").qualified(publication).do(publication.listings.get())
    syncing.sync(publication, at=now())
    rosa = scenes.researcher()
    with pytest.raises(RefusedError, match=r"\$0\.16 of it is committed"):
        reviewing.bonus(done, 5, "Thanks", by=rosa, at=now())
    publishing.end(publication, at=now())
    scenes.send(publication)
    assert payment_totals.committed_cents(publication) == 4  # handed in, and not decided on
    reviewing.approve(done, by=rosa, at=now())
    reviewing.bonus(done, 5, "Thanks", by=rosa, at=now())
    scenes.send(publication)
    assert payment_totals.committed_cents(publication) == 4 + 6
    assert payment_totals.refresh(publication, at=now()).matches


def test_more_places_of_a_hit_of_ten_cost_the_fee_of_ten(sandbox: Sandbox) -> None:
    study = make_study(1, scenes.small(ratings=10))
    publication = published(study, sandbox.url, replace(OFFER, split=False))
    hit = scenes.full_stage(study).hits.get()
    hit.open_slots = hit.wanted = 12
    hit.save()
    missing = ordering.missing(publication, at=now())
    assert (missing.places, missing.new_listings, missing.fees) == (2, 0, 4)
    scenes.topped_up(publication)
    assert CrowdCall.objects.get(kind="top up").cents == missing.total == 10


def test_more_places_need_the_confirmed_cost(sandbox: Sandbox) -> None:
    study = make_study(1, scenes.small(ratings=2))
    publication = published(study, sandbox.url)
    study.stages.get(kind="full").hits.update(open_slots=4, wanted=4)
    for confirmed in ("", "0.07"):
        with pytest.raises(RefusedError, match=r"\$0\.08"):
            ordering.order(publication, confirmed=confirmed, by=None, at=now())
    assert not CrowdCall.objects.filter(kind="top up").exists()
    assert Listing.objects.get().places == 2
    assert ordering.order(publication, confirmed="0.08", by=None, at=now()) == 2
