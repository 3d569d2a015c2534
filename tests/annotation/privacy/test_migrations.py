"""What stood readable before is sealed by migrating, and a worker of two studies becomes two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.identities.sealing import Sealed
from annotation.rating.models import Participation, Rating, Worker
from tests.annotation import people
from tests.annotation.privacy.needles import database, search

pytestmark = pytest.mark.django_db(transaction=True)
BEFORE = [("annotation", "0005_members")]
ANNA = "ANNA+1@panel.example"


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


@pytest.fixture
def latest() -> Iterator[list[tuple[str, str]]]:
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    yield leaves
    migrated(leaves)


def as_before(apps: Any) -> None:
    """A panel's worker with an answer, an exclusion and an invitation, as they were kept."""
    Worker = apps.get_model("annotation", "Worker")
    worker = Worker.objects.get(provider_id=ANNA)
    Publication = apps.get_model("annotation", "Publication")
    stage = apps.get_model("annotation", "Stage").objects.get(study__slug="boats", kind="full")
    panel = Publication.objects.create(
        stage=stage,
        provider="link",
        site="https://x.example",
        offer={"title": "t", "description": "d", "invited": [ANNA]},
        uid="u1",
        created_at=now(),
    )
    listing = panel.listings.create(places=1, pay_cents=1, key="k")
    CrowdAssignment = apps.get_model("annotation", "CrowdAssignment")
    CrowdAssignment.objects.create(
        publication=panel,
        listing=listing,
        participation=worker.participations.get(study__slug="boats"),
        provider_id=ANNA,
        answer=f"<answer>{ANNA}</answer>",
    )
    apps.get_model("annotation", "CrowdCall").objects.create(
        publication=panel,
        kind="exclude",
        key=f"u1-exclude-{worker.pk}",
        payload={"worker": ANNA},
        created_at=now(),
    )


def test_ids_are_sealed_and_workers_are_separate_in_each_study(
    latest: list[tuple[str, str]],
) -> None:
    rosa = people.researcher()
    for slug in ("boats", "ships"):
        study = people.new_study(rosa, people.PROTOCOL, people.candidates(), slug=slug)
        people.rate(people.open_stage(study), people.join(study, "somebody"))
    ratings = Rating.objects.count()
    old = migrated(BEFORE)
    workers = old.get_model("annotation", "Worker").objects
    assert workers.get().provider_id == "somebody"  # one row for both studies, as it was
    workers.update(provider_id=ANNA)
    as_before(old)
    assert search([ANNA], database())

    migrated(latest)
    assert search([ANNA], database()) == []
    first, second = Worker.objects.known_as("link", ANNA).order_by("pk")
    assert [first.study.slug, second.study.slug] == ["boats", "ships"]
    assert first.name != second.name and first.identity is not None
    assert first.identity.open() == ANNA
    assert Rating.objects.count() == ratings
    for worker in (first, second):
        rows = Rating.objects.filter(worker=worker)
        assert rows.exists() and not rows.exclude(candidate__study=worker.study).exists()
    crowd = CrowdAssignment.objects.get()
    assert crowd.provider_id == f"worker-{first.pk}" and crowd.answer is not None
    assert crowd.answer.open() == f"<answer>{ANNA}</answer>"
    part = Participation.objects.get(worker=first)
    assert CrowdCall.objects.get().payload == {"participation": part.pk}
    assert Sealed(Publication.objects.get().offer["invited"][0]).open() == ANNA
