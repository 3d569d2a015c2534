"""Publishing under a thousand throttled calls, and killed by SIGKILL at every call boundary."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.services import payment_totals, reviewing, syncing
from annotation.crowds.services.reviewing import ApprovalRule
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, requester, small
from tests.annotation.crowds.workers import Turker

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.timeout(1800)]
HITS = 1000


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with Sandbox() as found:
        yield found


def die(publication: Publication, database_url: str, k: int, when: str) -> bool:
    """Run a publishing process that is killed at its k-th request; return whether it was."""
    ended = subprocess.run(
        [sys.executable, "-m", "tests.slow.dying_publisher", str(publication.pk), str(k), when],
        cwd=settings.BASE_DIR,
        env=os.environ
        | {
            "DATABASE_URL": database_url,
            "BROKER_URL": settings.CELERY_BROKER_URL,
            "SECRET_KEY": settings.SECRET_KEY,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode == -signal.SIGKILL


def annotations(sandbox: Sandbox) -> Counter[str]:
    pages = requester(sandbox.url).get_paginator("list_hits").paginate()
    return Counter(hit["RequesterAnnotation"] for page in pages for hit in page["HITs"])


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_the_kth_request_for_every_k_and_run_again(
    sandbox: Sandbox, database_url: str, when: str
) -> None:
    """Publishing, then approving, rejecting and paying bonuses: nothing twice, nothing missing."""
    study = make_study(3, small(ratings=2))
    k = 0
    while True:
        k += 1
        publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
        died = die(publication, database_url, k, when)
        assert not die(publication, database_url, 0, when)
        publication.refresh_from_db()
        own_keys = {key for key in annotations(sandbox) if key.startswith(publication.uid)}
        assert own_keys == set(publication.listings.values_list("key", flat=True))
        if not died:
            break
        Publication.objects.update(status="ended")
    assert k == 2 + 1 + 3 + 1
    assert set(annotations(sandbox).values()) == {1}
    pay_with_kills(publication, sandbox, database_url, when)


def pay_with_kills(
    publication: Publication, sandbox: Sandbox, database_url: str, when: str
) -> None:
    for name in ("AONE", "ATWO"):
        turker = Turker(sandbox, name).qualified(publication)
        for listing in publication.listings.all():
            turker.do(listing)
    syncing.sync(publication, at=now())
    by = scenes.researcher()
    first, *others = CrowdAssignment.objects.order_by("pk")
    reviewing.reject(first, "not read", "Two seconds a rating.", by=by, at=now())
    reviewing.approve_by_rule(publication, ApprovalRule(), by=by, at=now())
    for cents, crowd in enumerate(others, start=1):
        reviewing.bonus(crowd, cents, "Thanks", by=by, at=now())
    kills = 0
    # To find out that a deed was done takes a request more: two get through, the next is the last.
    while die(publication, database_url, 3, when):
        kills += 1
        assert kills < 30
    assert kills >= 4
    totals = payment_totals.refresh(publication, at=now())
    assert totals.matches and totals.states == {"approved": 5, "rejected": 1}
    assert totals.recorded.bonuses == 1 + 2 + 3 + 4 + 5
    assert not CrowdCall.objects.exclude(status="done").exists()


def test_a_thousand_hits_with_every_third_call_throttled(sandbox: Sandbox) -> None:
    study = make_study(HITS, small(ratings=1))
    publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
    sandbox.engine.options.faults.change({"throttle_every": 3})
    done = scenes.send(publication)
    sandbox.engine.options.faults.change({"throttle_every": 0})
    assert (done.left, done.failed) == (0, 0)
    assert done.waits >= HITS / 2 - 10
    assert done.done == HITS + 3
    assert annotations(sandbox) == Counter(publication.listings.values_list("key", flat=True))
    assert payment_totals.refresh(publication, at=now()).matches
