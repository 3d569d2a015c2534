"""Small studies for tests, made by the services as the pages make them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import connection
from django.utils.timezone import now

from annotation.rating.models import Assignment, HitCandidate, Participation, Worker
from annotation.rating.services import handing_out, participation
from annotation.rating.services.changes import locked
from annotation.rating.services.rating_checks import Answer
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import Stage, Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.formats import InstanceRecord
from concord.protocols import HitRules, Pay, Protocol, Qualification, RatingRule, ScalePoint
from concord.protocols.keys import Key

Kind = Stage.Kind
Use = StudyCandidate.Use
T = TypeVar("T")
R = TypeVar("R")

PLAIN = Protocol(
    scale=tuple(ScalePoint(value, f"point {value}") for value in range(1, 6)),
    question="How right is the answer?",
    rating_rules=(RatingRule(2),),
    hit=HitRules(max_candidates=3),
    pay=Pay(cents_per_full_hit=30),
)
TESTED = dataclasses.replace(
    PLAIN, qualification=Qualification(candidates=5, pass_share=0.8, tolerance=0, tries=2)
)


def plain(**changes: Any) -> Protocol:
    """PLAIN with other fields."""
    return dataclasses.replace(PLAIN, **changes)


def owner() -> User:
    return User.objects.get_or_create(username="researcher", defaults={"is_staff": True})[0]


def instance(number: int, passage: str = "", **more: Any) -> InstanceRecord:
    values: dict[str, Any] = {
        "passage": passage or f"Passage {number} tells of a boat.",
        "question": f"What is in passage {number}?",
        "references": (f"a boat {number}",),
    }
    return InstanceRecord(f"i{number}", **(values | more))


def candidates(passages: int, each: int = 3, **more: Any) -> list[Item]:
    """`each` different answers to one question on each of `passages` passages."""
    return [
        Item.single(f"c{number}-{at}", instance(number, **more), f"answer {at} of {number}", "a")
        for number in range(passages)
        for at in range(each)
    ]


def keyed(count: int, values: Iterable[int] = ()) -> list[Item]:
    """Test or gold items with right values 1 to 5 in turn, or as given."""
    right = list(values) or [1 + at % 5 for at in range(count)]
    return [
        Item.single(
            f"k{at}",
            InstanceRecord(f"ki{at}", (f"key {at}",), "A passage of keys.", f"Key {at}?"),
            f"given {at}",
            test_key=Key(right[at]),
        )
        for at in range(count)
    ]


def make_study(
    protocol: Protocol = PLAIN,
    candidates: list[Item] | None = None,
    *,
    slug: str = "study",
    preset: str = "blank",
    seed: int = 7,
) -> Study:
    study = create_study(
        slug, "A study", protocol, source=StudySource(preset), owner=owner(), seed=seed, at=now()
    )
    if candidates is not None:
        add_items(study, candidates)
    return study


def open_stage(study: Study, kind: str = Kind.FULL) -> Stage:
    stage = study.stages.get(kind=kind)
    opening.open_stage(stage, by=owner(), at=now())
    return study.stages.get(kind=kind)


def open_study(protocol: Protocol = PLAIN, passages: int = 4, each: int = 3, **more: Any) -> Stage:
    """The open full stage of a study of `passages` x `each` candidates."""
    return open_stage(make_study(protocol, candidates(passages, each), **more))


def worker(study: Study, name: str) -> Worker:
    return join(study, name).worker


def workers(study: Study, count: int) -> list[Worker]:
    return [worker(study, f"w{at}") for at in range(count)]


def join(study: Study, name: str) -> Participation:
    return participation.join(study, "link", name, at=now())


def rate_all(assignment: Assignment, value: int = 3, at: datetime | None = None) -> None:
    for pk in members(assignment):
        handing_out.save_rating(assignment, pk, Answer(value), at=at or now())


def rate_as(assignment: Assignment, values: dict[int, int]) -> None:
    for pk, value in values.items():
        handing_out.save_rating(assignment, pk, Answer(value), at=now())


def save_change(
    assignment: Assignment,
    pk: int,
    answer: Answer,
    *,
    made_at: datetime,
    at: datetime,
) -> None:
    """A rating or a draft that a page sends."""
    with locked(assignment.pk, assignment.worker_id) as task:
        task.save(pk, answer, made_at=made_at, at=at)


def submitted(assignment: Assignment, value: int = 3) -> Assignment:
    rate_all(assignment, value)
    return handing_out.submit(assignment, at=now())


def members(assignment: Assignment) -> list[int]:
    members_of_hit = HitCandidate.objects.filter(hit=assignment.hit_id)
    return list(members_of_hit.values_list("candidate_id", flat=True))


def let_lapse(assignment: Assignment) -> None:
    """Put the lease's end in the past, as if the worker had been away."""
    Assignment.objects.filter(pk=assignment.pk).update(lease_until=now() - timedelta(seconds=1))


def in_parallel(work: Any, inputs: Iterable[Any], threads: int) -> list[Any]:
    """`work` on every item by threads, each with a database connection of its own."""

    def run(item: Any) -> Any:
        try:
            return work(item)
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, inputs))
