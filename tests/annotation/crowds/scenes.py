"""Studies put before a crowd, and the crowd itself: workers of a sandbox."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.crowds.models import Publication
from annotation.crowds.providers.money import dollars
from annotation.crowds.providers.offer import Offer
from annotation.crowds.services import ordering, outbox, publishing
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import Stage, Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.formats import InstanceRecord
from concord.protocols import HitRules, Pay, Protocol, Qualification, RatingRule, preset
from concord.protocols.keys import Key

SITE = "http://127.0.0.1:8000"
OFFER = Offer(
    "Rate answers", "Read a question and its answer, and say how right another answer is."
)


def kpqa(**changes: Any) -> Protocol:
    """KPQA's protocol with a small test before it."""
    test = Qualification(candidates=5, pass_share=0.8, tolerance=0, tries=2)
    return replace(preset("kpqa-2021"), qualification=test, **changes)


def instance(number: int, passage: str = "") -> InstanceRecord:
    return InstanceRecord(
        key=f"i{number}",
        references=(f"{40 + number} metres",),
        passage=passage,
        question=f"How long is bridge {number}?",
    )


def candidates(count: int, passage: str = "") -> list[Item]:
    return [
        Item.single(f"c{n}", instance(n, passage), f"about {n} feet", "gpt2") for n in range(count)
    ]


def test_items(count: int = 5) -> list[Item]:
    return [
        Item.single(f"t{n}", instance(100 + n), f"test answer {n}", test_key=Key(1 + n % 5))
        for n in range(count)
    ]


test_items.__test__ = False  # type: ignore[attr-defined]


def researcher() -> User:
    return User.objects.get_or_create(username="rosa", defaults={"is_staff": True})[0]


def make_study(
    count: int = 3,
    protocol: Protocol | None = None,
    rows: list[Item] | None = None,
    *,
    slug: str = "bridges",
    owner: User | None = None,
) -> Study:
    """A KPQA study of `count` candidates; its stages open."""
    owner = owner or researcher()
    protocol = protocol or kpqa()
    study = create_study(
        slug, "Bridges", protocol, source=StudySource("kpqa-2021"), owner=owner, seed=3, at=now()
    )
    add_items(study, rows or candidates(count))
    if protocol.qualification:
        items = test_items(protocol.qualification.candidates)
        add_items(study, items, use=StudyCandidate.Use.QUALIFICATION)
    for stage in study.stages.order_by("number"):
        opening.open_stage(stage, by=owner, at=now())
    return study


def small(ratings: int = 2, most: int = 1, cents: int = 3, **more: Any) -> Protocol:
    """KPQA with few ratings, and HITs of a passage's candidates."""
    return kpqa(
        rating_rules=(RatingRule(ratings),),
        hit=HitRules(max_candidates=most),
        pay=Pay(cents_per_full_hit=cents, pro_rata=most > 1),
        **more,
    )


def full_stage(study: Study) -> Stage:
    return study.stages.get(kind="full")


def drafted(study: Study, environment: str, offer: Offer = OFFER, **more: Any) -> Publication:
    values: dict[str, Any] = {
        "provider": "mturk",
        "site": SITE,
        "environment": environment,
        "at": now(),
    }
    return publishing.draft(full_stage(study), offer=offer, **(values | more))


def confirmed(draft: Publication, at: datetime | None = None) -> Publication:
    """Ordered, and nothing sent yet."""
    cost = dollars(publishing.quote(draft).price.total)
    ordering.order(draft, confirmed=cost, by=researcher(), at=at or now())
    draft.refresh_from_db()
    return draft


def published(study: Study, environment: str, offer: Offer = OFFER, **more: Any) -> Publication:
    """Ordered and sent."""
    publication = confirmed(drafted(study, environment, offer, **more))
    done = send(publication)
    assert (done.left, done.failed, done.problem) == (0, 0, "")
    publication.refresh_from_db()
    return publication


def topped_up(publication: Publication) -> int:
    """What is lacking, ordered at the cost that was shown; how many places."""
    cost = dollars(ordering.missing(publication, at=now()).total)
    return ordering.order(publication, confirmed=cost, by=None, at=now())


def send(
    publication: Publication, clock: Callable[[], datetime] = now, first_delay: float = 0.002
) -> outbox.OutboxResult:
    """Make the publication's calls, and wait while the platform is busy."""
    result = outbox.OutboxResult()
    while True:
        outbox.run(publication, clock=clock, first_delay=first_delay, result=result)
        if result.again_at is None:
            return result
        time.sleep(max(0.0, (result.again_at - clock()).total_seconds()))


def requester(url: str, service: str = "mturk") -> Any:
    """A client of anybody's: boto3 and nothing of ours."""
    import boto3

    return boto3.client(service, region_name="us-east-1", endpoint_url=url)
