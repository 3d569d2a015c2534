"""Which requests boto3 sends, in which order and with what: as recorded before.

`WRITE_REQUESTS=1 pytest tests/annotation/crowds/test_requests.py` records them anew; only a change
that is meant to send others may do that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.providers.mturk.client import MTurkClient
from annotation.crowds.services import (
    notifications,
    payment_totals,
    publishing,
    reviewing,
    syncing,
)
from annotation.crowds.services.outbox import LEASE
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.quality.services import ledgers
from mturk_sandbox import Sandbox
from mturk_sandbox.protocol import Request, Response
from tests.annotation.crowds import scenes
from tests.annotation.crowds.test_paid_test import TEST_OFFER, full, sent, take
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db
RECORDED = Path(__file__).parents[2] / "golden" / "mturk_requests.json"
# Ids, tokens, keys and addresses, which differ each time.
DRAWN = re.compile(r"(?=[\w:./-]*\d)[\w:/.-]{8,}|\b[a-z-]+\d+|(?<=[->])\d+")
Requests = list[list[object]]


@contextmanager
def recorded(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Requests]:
    """The operations and their parameters of the calls in the block; what is drawn is numbered."""
    requests: Requests = []
    numbers: dict[str, str] = {}
    handle = sandbox.engine.handle

    def numbered(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"drawn {len(numbers)}")

    def without_drawn(value: object) -> object:
        if isinstance(value, dict):
            return {key: without_drawn(one) for key, one in value.items()}
        if isinstance(value, list):
            return [without_drawn(one) for one in value]
        if isinstance(value, float):  # a time
            return "drawn"
        return DRAWN.sub(numbered, value) if isinstance(value, str) else value

    def record(request: Request, url: str) -> Response:
        requests.append([request.operation, without_drawn(request.document)])
        return handle(request, url)

    with monkeypatch.context() as patched:
        patched.setattr(sandbox.engine, "handle", record)
        yield requests


def publish_review_and_end(sandbox: Sandbox) -> None:
    """A draft, its test, listings of which one answer is lost, work, every decision, more places,
    an exclusion and the end."""
    study = scenes.make_study(3, scenes.small(ratings=2))
    publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
    sandbox.faults.change({"die_at": 4})
    scenes.send(publication)
    publication.refresh_from_db()
    listings = list(publication.listings.all())
    turkers = [Turker(sandbox, name).qualified(publication) for name in ("AONE", "ATWO")]
    for turker in turkers:
        for listing in listings:
            turker.do(listing)
    syncing.sync(publication, at=now())
    rosa = scenes.researcher()
    first, second, *_ = CrowdAssignment.objects.order_by("pk")
    reviewing.reject(first, "not read", "Two seconds a rating.", by=rosa, at=now())
    reviewing.approve_by_rule(publication, ApprovalRule(), by=rosa, at=now())
    reviewing.bonus(second, 5, "Thanks", by=rosa, at=now())
    scenes.send(publication)
    reviewing.approve(first, by=rosa, at=now())
    publication.stage.hits.update(wanted=4, open_slots=2)
    scenes.topped_up(publication)
    ledgers.exclude_worker(second.participation, "Asked to leave.", by=rosa, at=now())
    syncing.sync(publication, at=now())
    scenes.send(publication)
    publishing.end(publication, at=now())
    scenes.send(publication)
    payment_totals.refresh(publication, at=now())


def publish_a_paid_test(sandbox: Sandbox) -> None:
    """A paid test, one who passes and one who does not, and the stage for those who passed."""
    study = scenes.make_study(2, scenes.small(ratings=1, cents=10))
    stage = study.stages.get(kind="qualification")
    test: Publication = sent(
        publishing.draft(
            stage, "mturk", TEST_OFFER, environment=sandbox.url, site=scenes.SITE, at=now()
        )
    )
    for name, right in (("AGOOD", True), ("ABAD", False)):
        take(sandbox, test, name, right=right)
    syncing.sync(test, at=now())
    reviewing.approve_by_rule(test, ApprovalRule(), by=None, at=now())
    scenes.send(test)
    syncing.sync(test, at=now())
    scenes.send(test)
    sent(full(test, sandbox))


def ask_for_more_places(sandbox: Sandbox) -> None:
    """A listing with a queue gets more places, new parts, and a new listing after it expired."""
    queue = scenes.requester(sandbox.url, "sqs").create_queue(QueueName="turk")["QueueUrl"]
    protocol = replace(scenes.small(ratings=2), qualification=None)
    offer = replace(scenes.OFFER, queue=queue)
    publication = scenes.published(scenes.make_study(1, protocol), sandbox.url, offer)
    hits = publication.stage.hits
    for wanted in (5, 11):
        hits.update(wanted=wanted, open_slots=wanted)
        scenes.topped_up(publication)
        scenes.send(publication)
    listing = publication.listings.order_by("pk")[0]
    Turker(sandbox, "AONE").do(listing)
    Turker(sandbox, "ATWO").accept(listing).return_hit()
    notifications.process_queue(publication, at=now())
    week = timedelta(hours=offer.lifetime_hours, minutes=1)
    sandbox.advance(week.total_seconds())
    syncing.sync(publication, at=now() + week)
    scenes.topped_up(publication)
    scenes.send(publication)
    publishing.end(publication, at=now())
    scenes.send(publication)


class Killed(BaseException):
    """Nothing catches it, as nothing catches a SIGKILL."""


def lose_every_answer_once(sandbox: Sandbox) -> None:
    """The process dies after each request whose answer it has not seen, and is started again."""
    answered: set[str] = set()
    real = MTurkClient.__call__

    def call(self: MTurkClient, operation: str, **parameters: Any) -> dict[str, Any]:
        answer = real(self, operation, **parameters)
        request = f"{operation} {parameters}"
        if is_killed and request not in answered:
            answered.add(request)
            raise Killed
        return answer

    def send(publication: Publication) -> None:
        nonlocal is_killed, later
        is_killed = True
        while True:
            later += LEASE + timedelta(seconds=1)
            try:
                scenes.send(publication, clock=lambda at=later: at)
            except Killed:
                continue
            break
        is_killed = False

    is_killed, later = False, now()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MTurkClient, "__call__", call)
        study = scenes.make_study(2, scenes.small(ratings=1))
        publication = scenes.confirmed(scenes.drafted(study, sandbox.url))
        send(publication)
        publication.refresh_from_db()
        turker = Turker(sandbox, "AONE").qualified(publication)
        for listing in publication.listings.all():
            turker.do(listing)
        syncing.sync(publication, at=now())
        rosa = scenes.researcher()
        first, second = CrowdAssignment.objects.order_by("pk")
        reviewing.reject(first, "not read", "Two seconds a rating.", by=rosa, at=now())
        reviewing.approve(second, by=rosa, at=now())
        reviewing.bonus(second, 5, "Thanks", by=rosa, at=now())
        publication.stage.hits.update(wanted=3, open_slots=2)
        scenes.topped_up(publication)
        ledgers.exclude_worker(second.participation, "Asked to leave.", by=rosa, at=now())
        syncing.sync(publication, at=now())
        publishing.end(publication, at=now())
        send(publication)
        assert payment_totals.refresh(publication, at=now()).matches


FLOWS = [publish_review_and_end, publish_a_paid_test, ask_for_more_places, lose_every_answer_once]


@pytest.mark.parametrize("flow", FLOWS)
def test_boto3_sends_the_requests_that_were_recorded(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, flow: Callable[[Sandbox], None]
) -> None:
    with recorded(sandbox, monkeypatch) as requests:
        flow(sandbox)
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    if os.environ.get("WRITE_REQUESTS"):
        known[flow.__name__] = requests
        RECORDED.write_text(json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    assert requests == known[flow.__name__]
