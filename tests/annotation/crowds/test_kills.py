"""The publishing process killed at every call boundary, and run again: nothing twice, nothing lost.

Here the kill is an exception that nothing catches, thrown before the k-th request leaves or after
its answer arrived; `tests/slow` does the same with SIGKILL.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Literal

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Payment, Publication
from annotation.crowds.providers.mturk.client import MTurkClient
from annotation.crowds.services import payment_totals, reviewing, syncing
from annotation.crowds.services.outbox import LEASE
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, requester
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db
When = Literal["before", "after"]


class Killed(BaseException):
    """Nothing of ours catches it, as nothing does a SIGKILL."""


@contextmanager
def killed_at(k: int, when: When, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The k-th request of the process is its last."""
    made = 0
    real = MTurkClient.__call__

    def call(self: MTurkClient, operation: str, **arguments: Any) -> dict[str, Any]:
        nonlocal made
        made += 1
        if made == k and when == "before":
            raise Killed
        answer = real(self, operation, **arguments)
        if made == k:
            raise Killed
        return answer

    with monkeypatch.context() as patched:
        patched.setattr(MTurkClient, "__call__", call)
        yield


@pytest.mark.parametrize("when", ["before", "after"])
def test_publishing_killed_at_the_kth_request_for_every_k(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, when: When
) -> None:
    study = make_study(2, scenes.small(ratings=2))
    k = 0
    while True:
        k += 1
        publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
        try:
            with killed_at(k, when, monkeypatch):
                scenes.send(publication)
            break  # it had fewer requests than k: every boundary was met
        except Killed:
            later = now() + LEASE + timedelta(seconds=1)
            done = scenes.send(publication, clock=lambda later=later: later)
        assert (done.left, done.failed) == (0, 0)
        check_listed(publication, sandbox)
        Publication.objects.update(status="ended")
    assert k == 2 + 1 + 2 + 1  # test and exclusion, a HIT type, two HITs; one more ends it


def check_listed(publication: Publication, sandbox: Sandbox) -> None:
    pages = requester(sandbox.url).get_paginator("list_hits").paginate()
    hits = [hit for page in pages for hit in page["HITs"]]
    own_hits = [h for h in hits if h["RequesterAnnotation"].startswith(publication.uid)]
    keys = Counter(hit["RequesterAnnotation"] for hit in own_hits)
    assert keys == Counter(publication.listings.values_list("key", flat=True))
    assert {h["HITId"] for h in own_hits} == set(
        publication.listings.values_list("provider_id", flat=True)
    )
    assert len({h["HITTypeId"] for h in own_hits}) == 1


@pytest.mark.parametrize("when", ["before", "after"])
def test_paying_killed_at_the_kth_request_for_every_k(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, when: When
) -> None:
    publication = scenes.published(make_study(6, scenes.small(ratings=1)), sandbox.url)
    one = Turker(sandbox, "AONE").qualified(publication)
    for listing in publication.listings.all():
        one.hand_in(listing)
    syncing.sync(publication, at=now())
    by = scenes.researcher()
    for k, crowd in enumerate(CrowdAssignment.objects.order_by("pk"), start=1):
        if k % 3 == 0:
            reviewing.reject(crowd, "not read", "Two seconds each.", by=by, at=now())
        else:
            reviewing.approve(crowd, by=by, at=now())
        reviewing.bonus(crowd, k, "Thanks", by=by, at=now())
        for number in (1, 2):
            at = now() + number * (LEASE + timedelta(seconds=1))
            try:
                with killed_at(number, when, monkeypatch):
                    scenes.send(publication, clock=lambda at=at: at)
            except Killed:
                continue
        end = now() + 4 * LEASE
        assert scenes.send(publication, clock=lambda end=end: end).left == 0
    totals = payment_totals.refresh(publication, at=now())
    assert totals.matches
    assert totals.recorded.bonuses == sum(range(1, 7))
    assert totals.states == {"approved": 4, "rejected": 2}
    assert Payment.objects.filter(kind="reward").count() == 4
