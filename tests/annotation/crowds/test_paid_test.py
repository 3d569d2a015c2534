"""A paid qualification test: published as a task, graded here, with a group of those who passed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import Payment, Publication
from annotation.crowds.services import ordering, publishing, reviewing, syncing
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.rating.models import Participation
from annotation.studies.models import StudyCandidate
from core.refusals import RefusedError
from mturk_sandbox import Sandbox
from mturk_sandbox.work import WorkError
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import OFFER, make_study, requester, small
from tests.annotation.crowds.workers import Turker
from tests.html import readable

pytestmark = pytest.mark.django_db
TEST_OFFER = replace(OFFER, title="A test", test_places=3)


@pytest.fixture
def rosa(db: None) -> Client:
    client = Client()
    client.force_login(scenes.researcher())
    return client


@pytest.fixture
def offered_test(sandbox: Sandbox) -> Publication:
    """The test of a study of two HITs, published for three workers."""
    study = make_study(2, small(ratings=1, cents=10))
    draft = publishing.draft(
        study.stages.get(kind="qualification"),
        "mturk",
        TEST_OFFER,
        environment=sandbox.url,
        site=scenes.SITE,
        at=now(),
    )
    return sent(draft)


def sent(draft: Publication) -> Publication:
    publication = scenes.confirmed(draft)
    done = scenes.send(publication)
    assert (done.left, done.failed, done.problem) == (0, 0, "")
    publication.refresh_from_db()
    return publication


def take(sandbox: Sandbox, publication: Publication, name: str, *, right: bool) -> Turker:
    """Take the test in the frame, with all answers right or all wrong."""
    turker = Turker(sandbox, name)
    listing = publication.listings.get()
    page = turker.accept(listing).open()
    text = page.content.decode()
    path = re.search(r'action="(/rate/crowd/task/[^"]+)"', text)
    assert path and "Test:" in text
    form: dict[str, Any] = {"action": "submit"}
    for item in StudyCandidate.objects.filter(use="qualification", hits__isnull=False):
        key = int(item.expected or 0)
        form[f"value-{item.pk}"] = key if right else 1 + key % 5
    turker.submit(turker.client.post(path[1], form, follow=True))
    return turker


def full(publication: Publication, sandbox: Sandbox) -> Publication:
    offer = replace(OFFER, only_passed=True)
    return scenes.drafted(publication.stage.study, sandbox.url, offer)


def test_a_test_as_a_task_is_paid_whether_passed_or_not(
    offered_test: Publication, sandbox: Sandbox
) -> None:
    pay = offered_test.stage.hits.get().pay_cents
    listing = offered_test.listings.get()
    assert (listing.places, listing.pay_cents) == (3, pay)
    (hit,) = requester(sandbox.url).list_hits()["HITs"]
    assert hit["MaxAssignments"] == 3
    assert set(offered_test.provider_ids) == {"exclusion", "passed", "types"}
    for name, right in (("AGOOD", True), ("ABAD", False)):
        take(sandbox, offered_test, name, right=right)
    syncing.sync(offered_test, at=now())
    results = Participation.objects.order_by("pk").values_list("qualified", "tries")
    assert list(results) == [("passed", 1), ("not yet", 1)]
    assert reviewing.approve_by_rule(offered_test, ApprovalRule(), by=None, at=now()) == 2
    scenes.send(offered_test)
    assert list(Payment.objects.values_list("cents", flat=True)) == [pay, pay]
    assert ordering.missing(offered_test, at=now()).places == 0
    syncing.sync(offered_test, at=now())
    assert Participation.objects.filter(qualified="passed", tries=1).count() == 1


def test_only_who_passed_gets_the_other_stages(offered_test: Publication, sandbox: Sandbox) -> None:
    take(sandbox, offered_test, "AGOOD", right=True)
    take(sandbox, offered_test, "ABAD", right=False)
    syncing.sync(offered_test, at=now())
    scenes.send(offered_test)
    full_publication = sent(full(offered_test, sandbox))
    assert set(full_publication.provider_ids) == {"exclusion", "types"}, "no test of the platform's"
    first, _ = full_publication.listings.order_by("pk")
    for name in ("ABAD", "ANEW"):
        with pytest.raises(WorkError, match="do not have the qualifications"):
            Turker(sandbox, name).accept(first)
    Turker(sandbox, "AGOOD").do(first)
    syncing.sync(full_publication, at=now())
    assert full_publication.stage.hits.filter(open_slots=0).count() == 1
    with pytest.raises(WorkError):  # who passed need not take it again
        Turker(sandbox, "AGOOD").accept(offered_test.listings.get())


def test_what_is_not_possible_is_said(sandbox: Sandbox) -> None:
    study = make_study(1, small(ratings=1))
    stage = study.stages.get(kind="qualification")
    values: dict[str, Any] = {"environment": sandbox.url, "site": scenes.SITE, "at": now()}
    draft = publishing.draft(stage, "link", OFFER, **values | {"environment": ""})
    with pytest.raises(RefusedError, match="cannot be published there"):
        publishing.quote(draft)
    early = scenes.drafted(study, sandbox.url, replace(OFFER, only_passed=True))
    with pytest.raises(RefusedError, match="nobody there has passed its test yet"):
        scenes.confirmed(early)


@pytest.mark.parametrize(
    ("provider", "note"),
    [
        ("mturk", "runs the qualification test itself and does not pay for it"),
        ("link", "on this site. The first try is paid like a task, and this cost does not"),
    ],
)
def test_the_quote_says_whether_the_test_is_paid(
    sandbox: Sandbox, rosa: Client, provider: str, note: str
) -> None:
    study = make_study(1, small(ratings=1))
    environment = sandbox.url if provider == "mturk" else ""
    draft = scenes.drafted(study, environment, provider=provider)
    assert note in publishing.test_note(draft)
    assert note in readable(rosa.get(reverse("study-crowd", args=[study.slug])))
    cost = readable(rosa.get(reverse("study-cost", args=[study.slug])))
    assert "Mechanical Turk runs itself pays nothing" in cost


def test_without_a_test_nothing_is_said(sandbox: Sandbox, rosa: Client) -> None:
    study = make_study(1, replace(small(ratings=1), qualification=None))
    assert publishing.test_note(scenes.drafted(study, sandbox.url)) == ""


def test_the_pages_offer_it(sandbox: Sandbox, rosa: Client, settings: Any) -> None:
    settings.OUTGOING_ALLOWED_HOSTS = [sandbox.url.removeprefix("http://")]
    study = make_study(1, small(ratings=1, cents=10))
    page = readable(rosa.get(reverse("study-crowd", args=[study.slug]) + "?provider=mturk"))
    assert "qualification, as a paid test (open)" in page
    assert "as a paid test" not in readable(
        rosa.get(reverse("study-crowd", args=[study.slug]) + "?provider=link")
    )
    form = {
        "stage": "qualification", "title": "A test", "description": "Five answers",
        "environment": "other", "endpoint": sandbox.url, "question": "external",
        "lifetime_hours": 168, "auto_approval_hours": 72, "test_places": 4, "split": "on",
    }  # fmt: skip
    draft = rosa.post(reverse("study-crowd-draft", args=[study.slug, "mturk"]), form, follow=True)
    assert "4 workers take it once each, and are paid whether they pass or not" in readable(draft)
    drafted = Publication.objects.get()
    confirmed = publishing.quote(drafted).price.total / 100
    url = reverse("study-crowd-order", args=[study.slug, drafted.pk])
    page = rosa.post(url, {"confirmed": f"{confirmed:.2f}"}, follow=True)
    assert "Publishing on Mechanical Turk is queued." in readable(page)
