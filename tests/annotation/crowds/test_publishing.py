"""Publishing to a sandbox that speaks MTurk's API, over boto3."""

from __future__ import annotations

import time
from collections import Counter
from datetime import timedelta

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdCall, Listing, Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import ordering, outbox, publishing, scheduling
from core.refusals import RefusedError
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import kpqa, make_study, published, requester

pytestmark = pytest.mark.django_db


def test_a_kpqa_study_becomes_hits_of_nine_assignments_at_most(sandbox: Sandbox) -> None:
    publication = published(make_study(3), sandbox.url)
    hits = requester(sandbox.url).list_hits()["HITs"]
    assert Counter(hit["MaxAssignments"] for hit in hits) == {5: 6}
    assert {hit["Reward"] for hit in hits} == {"0.03"}
    assert {hit["RequesterAnnotation"] for hit in hits} == set(
        publication.listings.values_list("key", flat=True)
    )
    assert {hit["HITId"] for hit in hits} == set(
        publication.listings.values_list("provider_id", flat=True)
    )
    requirements_by_type = {
        q["QualificationTypeId"]: q for q in hits[0]["QualificationRequirements"]
    }
    rate = requirements_by_type["000000000000000000L0"]
    assert (rate["Comparator"], rate["IntegerValues"]) == ("GreaterThan", [95])
    test = requirements_by_type[publication.provider_ids["test"]]
    assert (test["Comparator"], test["IntegerValues"]) == ("GreaterThanOrEqualTo", [80])
    excluded = requirements_by_type[publication.provider_ids["exclusion"]]
    assert excluded["ActionsGuarded"] == "DiscoverPreviewAndAccept"
    assert publication.status == Publication.Status.LIVE


def test_the_quote_says_what_splitting_saves(sandbox: Sandbox) -> None:
    quote = publishing.quote(scenes.drafted(make_study(3), sandbox.url))
    # Ten ratings at 3 cents: 40% is 1.2 cents, rounded up; 20% is 0.6, one cent at least.
    assert (quote.price.rewards, quote.price.fees) == (90, 30)
    assert (quote.whole.fees, quote.saved) == (60, 30)


def test_publishing_again_requests_nothing(sandbox: Sandbox) -> None:
    publication = published(make_study(2), sandbox.url)
    assert ordering.order(publication, confirmed="0.80", by=None, at=now()) == 0
    assert scenes.send(publication).done == 0
    assert len(requester(sandbox.url).list_hits()["HITs"]) == 4


def test_the_confirmed_amount_must_be_the_exact_cost(sandbox: Sandbox) -> None:
    draft = scenes.drafted(make_study(3), sandbox.url)
    for confirmed in ("", "1.19", "yes"):
        with pytest.raises(RefusedError, match=r"\$1\.20"):
            ordering.order(draft, confirmed=confirmed, by=None, at=now())
    assert not CrowdCall.objects.exists() and not Listing.objects.exists()
    ordering.order(draft, confirmed="$1.20", by=None, at=now())


def test_a_budget_stops_what_is_beyond_it(sandbox: Sandbox) -> None:
    draft = scenes.drafted(make_study(3), sandbox.url, budget_cents=119)
    with pytest.raises(RefusedError, match="budget"):
        ordering.order(draft, confirmed="1.20", by=None, at=now())
    assert not CrowdCall.objects.exists()


def test_an_insufficient_balance_is_reported_before_any_call_is_queued() -> None:
    with Sandbox(balance_cents=50) as sandbox:
        draft = scenes.drafted(make_study(3), sandbox.url)
        with pytest.raises(CrowdError, match=r"is \$0\.50, but this costs \$1\.20"):
            ordering.order(draft, confirmed="1.20", by=None, at=now())
    assert not CrowdCall.objects.exists()


def test_missing_credentials_are_reported_and_change_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    draft = scenes.drafted(make_study(1), sandbox.url)
    with pytest.raises(CrowdError, match="no AWS credentials"):
        ordering.order(draft, confirmed="0.40", by=None, at=now())
    assert not CrowdCall.objects.exists()


def test_calls_are_paused_when_credentials_fail(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(2), sandbox.url))
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    done = scenes.send(publication)
    publication.refresh_from_db()
    assert done.done == 0 and "credentials" in done.problem == publication.problem
    assert requester_is_empty(sandbox)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    assert scenes.send(publication).done == 0, "only a person ends the pause"
    outbox.retry_failed(publication)
    assert scenes.send(publication).left == 0


def requester_is_empty(sandbox: Sandbox) -> bool:
    return sandbox.engine.options.faults.calls == 1  # the balance was asked for


def test_every_third_call_throttled_publishes_all_the_same(sandbox: Sandbox) -> None:
    study = make_study(30, scenes.small(ratings=1))
    publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
    sandbox.engine.options.faults.change({"throttle_every": 3})
    done = scenes.send(publication)
    assert (done.left, done.failed) == (0, 0) and done.waits >= 15
    assert done.done == 33
    assert hit_keys(sandbox) == sorted(publication.listings.values_list("key", flat=True))


def test_a_busy_platform_does_not_occupy_the_worker(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(3), sandbox.url))
    sandbox.engine.options.faults.change({"throttle_every": 1})
    started = time.monotonic()
    done = outbox.run(publication)
    assert (done.done, done.waits) == (0, 1) and done.again_at is not None
    assert outbox.run(publication, clock=lambda: done.again_at - timedelta(seconds=0.01)).waits == 0
    assert time.monotonic() - started < 30
    assert scheduling.publications_with_due_calls(at=now() - timedelta(seconds=1)) == []
    again = outbox.run(publication, clock=lambda: now() + timedelta(hours=1))
    assert again.waits == 1, "the postponed call is tried again, and no other"
    assert set(CrowdCall.objects.values_list("status", flat=True)) == {"waiting"}


def hit_keys(sandbox: Sandbox) -> list[str]:
    sandbox.engine.options.faults.change({"throttle_every": 0})
    pages = requester(sandbox.url).get_paginator("list_hits").paginate()
    return sorted(hit["RequesterAnnotation"] for page in pages for hit in page["HITs"])


def test_a_retry_after_a_day_finds_the_hit_by_its_annotation() -> None:
    with Sandbox() as sandbox:
        publication = scenes.confirmed(scenes.drafted(make_study(1, kpqa()), sandbox.url))
        # The answer to the first listing's call is lost, and nobody is there for a day.
        sandbox.engine.options.faults.change({"die_at": 4})
        assert outbox.run(publication).done == 3
        assert len(requester(sandbox.url).list_hits()["HITs"]) == 1
        sandbox.advance(25 * 3600)
        later = now() + timedelta(hours=25)
        done = scenes.send(publication, clock=lambda: later)
        assert done.left == 0
        assert hit_keys(sandbox) == sorted(publication.listings.values_list("key", flat=True))


def test_a_draft_of_a_planned_stage_says_that_it_can_be_opened(sandbox: Sandbox) -> None:
    study = make_study(1)
    study.stages.filter(kind="full").update(status="planned")
    with pytest.raises(RefusedError, match="Open it on the page Stages"):
        publishing.quote(scenes.drafted(study, sandbox.url))


def test_a_stage_is_published_on_one_crowd_at_a_time(sandbox: Sandbox) -> None:
    study = make_study(1)
    published(study, sandbox.url)
    with pytest.raises(RefusedError, match="End that publication first"):
        scenes.drafted(study, sandbox.url)


def test_ending_admits_no_new_workers(sandbox: Sandbox) -> None:
    publication = published(make_study(2), sandbox.url)
    assert publishing.end(publication, at=now()) == 4
    scenes.send(publication)
    assert {hit["HITStatus"] for hit in requester(sandbox.url).list_hits()["HITs"]} == {
        "Reviewable"
    }
    assert not publication.listings.filter(expired_at=None).exists()


def test_refused_calls_delay_neither_the_end_nor_pay(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(2), sandbox.url))
    scenes.send(publication)
    refused = CrowdCall.objects.filter(kind="create").first()
    assert refused is not None
    CrowdCall.objects.filter(pk=refused.pk).update(status="failed")
    Listing.objects.filter(pk=refused.listing_id).update(provider_id="")
    publishing.end(publication, at=now())
    done = scenes.send(publication)
    assert (done.done, done.left, done.failed) == (4, 0, 0)
