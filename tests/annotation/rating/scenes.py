"""A study as raters meet it: a test of four answers, then tasks of up to three on one passage."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import participation
from annotation.rating.services.tokens import token_for
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import Stage, Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.documents.conversation import Conversation, Judged, Turn, question_of
from concord.formats import InstanceRecord
from concord.protocols import HitRules, Protocol, Qualification, RatingRule, preset
from concord.protocols.keys import Key
from tests.annotation import people
from tests.snapshots import Snapshot

PASSAGE = (
    "Mira found the old kettle behind the stove. It had belonged to her grandmother, who boiled "
    "water in it every morning before the market opened.\n\nThat winter the river froze, and the "
    "boats stayed in the harbour until March. Mira sold tea from the kettle to the fishermen who "
    "waited on the quay, and by spring she had saved enough for a stall of her own."
)
OTHER = "The lamp on the hill was lit each night by Tomas, who counted the ships as they passed."
TURNS: tuple[Turn, ...] = (
    {"role": "system", "content": "You know the harbour. Answer in one sentence."},
    {"role": "user", "content": "When did the river freeze?"},
    {"role": "assistant", "content": "That winter, until March."},
    {"role": "user", "content": "And where were the boats?"},
)
ANSWERS = ("the old kettle", "a tall pot", "tea for the fishermen", "an oven", "her kettle", "")


@dataclass
class Scene:
    """A study whose test and full stage are open, and a worker who has just arrived."""

    study: Study
    owner: User
    worker: Participation

    @cached_property
    def token(self) -> str:
        return token_for(self.worker)

    def stage(self, kind: str) -> Stage:
        return self.study.stages.get(kind=kind)

    def another(self, name: str) -> Participation:
        return participation.join(self.study, "link", name, at=now())


def protocol(**changes: Any) -> Protocol:
    """MOCHA's, small enough to be worked through in a test."""
    small = {
        "qualification": Qualification(candidates=4, pass_share=0.75, tolerance=0, tries=2),
        "trial": None,
        "rating_rules": (RatingRule(2),),
        "hit": HitRules(max_candidates=3),
        "split_shares": (),
    }
    return replace(preset("mocha-2020"), **{**small, **changes})


def instance(key: str, passage: str = PASSAGE, **more: Any) -> InstanceRecord:
    values = {"question": "What did Mira boil water in?", "references": ("a kettle",), **more}
    return InstanceRecord(key=key, passage=passage, **values)


def conversation(key: str, judged: Judged = "reply") -> InstanceRecord:
    """Turns about the harbour in place of a passage and a question, without references."""
    shown = Conversation(messages=list(TURNS), judged=judged)
    return InstanceRecord(key, (), question=question_of(shown), conversation=shown)


def candidates(shown: InstanceRecord, answers: tuple[str, ...] = ANSWERS) -> list[Item]:
    return [
        Item.single(f"{shown.key}-{at}", shown, text, system="made-up")
        for at, text in enumerate(answers)
    ]


def make_study(
    slug: str = "kettle",
    rated: list[Item] | None = None,
    *,
    open_stages: bool = True,
    **changes: Any,
) -> Scene:
    """A study with its candidates; its stages open, unless told otherwise."""
    owner, _ = User.objects.get_or_create(username="rosa")
    study = create_study(
        slug,
        "Answers about the harbour",
        protocol(**changes),
        source=StudySource("mocha-2020"),
        owner=owner,
        seed=7,
        at=now(),
    )
    add_items(study, rated or candidates(instance("m1")))
    if study.current.protocol.qualification:
        add_items(study, test_items(), use=StudyCandidate.Use.QUALIFICATION)
    if open_stages:
        for stage in study.stages.all():
            opening.open_stage(stage, by=owner, at=now())
    return Scene(study, owner, participation.join(study, "link", "wanda", at=now()))


_SNAPSHOT = Snapshot(make_study)


def open_study() -> Scene:
    """A copy of what `make_study()` makes."""
    people.rosa()
    return _SNAPSHOT.restore()


def test_items() -> list[Item]:
    lit = instance("t1", OTHER, question="Who lit the lamp?", references=("Tomas",))
    counted = instance("t2", OTHER, question="What did Tomas count?", references=("the ships",))
    return [
        Item.single("t1-a", lit, "Tomas did", test_key=Key(5)),
        Item.single("t1-b", lit, "the captain", test_key=Key(1)),
        Item.single("t2-a", counted, "ships", test_key=Key(5)),
        Item.single("t2-b", counted, "ships and lamps", test_key=Key(3)),
    ]


test_items.__test__ = False  # type: ignore[attr-defined]


def consent(scene: Scene, worker: Participation | None = None) -> None:
    participation.consent(worker or scene.worker, at=now())


def qualify(scene: Scene, worker: Participation | None = None) -> None:
    """Consented and qualified, without going through the test."""
    worker = worker or scene.worker
    consent(scene, worker)
    Participation.objects.filter(pk=worker.pk).update(qualified=Participation.Qualified.PASSED)
    worker.refresh_from_db()


def take(client: Client, token: str) -> Assignment:
    """Press Start; the task that is then in hand."""
    client.post(reverse("rating-task", args=[token]))
    return Assignment.objects.filter(status=Assignment.Status.HELD).latest("started_at")


def form(assignment: Assignment, value: int | str = 4, **more: Any) -> dict[str, Any]:
    """The task's form with every answer rated `value`."""
    keys = assignment.hit.candidates.values_list("pk", flat=True)
    return {f"value-{pk}": value for pk in keys} | more


def right_values(assignment: Assignment, wrong: int = 0) -> dict[str, Any]:
    """The test's form, all answers right but for the first `wrong`."""
    values = {}
    for at, candidate in enumerate(assignment.hit.candidates.order_by("memberships__position")):
        off = 1 if candidate.expected != 1 else 2
        values[f"value-{candidate.pk}"] = off if at < wrong else candidate.expected
    return values | {"action": "submit"}
