"""A study with everything in it: rated, filtered, checked, split, with messages and pairs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.contrib.auth.models import User
from django.utils.timezone import now

from annotation.quality.services import ledgers
from annotation.rating.models import Assignment, HitCandidate, Message, Participation, Rating
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.stages.services import opening
from annotation.studies.intake import Item
from annotation.studies.models import CandidateImport, Stage, Study, StudyCandidate
from annotation.studies.services.candidates import add_items
from concord.filtering import ZScoreFilter
from concord.formats import InstanceRecord
from concord.protocols import HitRules, Pay, Protocol, QualityRules, RatingRule, ScalePoint, Trial

PROTOCOL = Protocol(
    scale=tuple(ScalePoint(value, f"point {value}") for value in range(1, 6)),
    question="How right is the answer?",
    instructions="Read. **Then** judge.",
    consent="You agree.",
    rating_rules=(RatingRule(4),),
    hit=HitRules(max_candidates=4),
    pay=Pay(cents_per_full_hit=40),
    quality=QualityRules(spot_check_share=0.5, zscore_threshold=1.0, max_removed=2),
    split_shares=(("train", 0.5), ("test", 0.5)),
)

ROSA = 1_000_000_000  # the same in each test, and above what is counted up to


def protocol(**changes: object) -> Protocol:
    return dataclasses.replace(PROTOCOL, **changes)  # type: ignore[arg-type]


def researcher(name: str = "rosa", *, staff: bool = True, superuser: bool = False) -> User:
    defaults = {"is_staff": staff, "is_superuser": superuser}
    return User.objects.get_or_create(username=name, defaults=defaults)[0]


def rosa() -> User:
    """A researcher, with a primary key to which snapshots can refer."""
    defaults = {"pk": ROSA, "is_staff": True}
    return User.objects.get_or_create(username="rosa", defaults=defaults)[0]


def candidates(passages: int = 4, each: int = 3) -> list[Item]:
    """`each` answers, of as many systems, to one question on each passage."""
    inputs = []
    for number in range(passages):
        instance = InstanceRecord(
            key=f"i{number}",
            references=(f"boat {number}",),
            passage=f"Passage {number} tells of a boat that went up the river.",
            question=f"What is in passage {number}?",
            constituent=("stories", "facts")[number % 2],
        )
        inputs += [
            Item.single(f"c{number}-{at}", instance, f"answer {at} of {number}", f"system {at}")
            for at in range(each)
        ]
    return inputs


def new_study(
    owner: User,
    protocol: Protocol = PROTOCOL,
    rows: list[Item] | None = None,
    *,
    slug: str = "boats",
    preset: str = "blank",
) -> Study:
    study = create_study(
        slug,
        "Boats and rivers",
        protocol,
        source=StudySource(preset),
        owner=owner,
        seed=11,
        at=now(),
    )
    if rows is not None:
        add_items(study, rows)
    return study


def open_stage(study: Study, kind: str = "full") -> Stage:
    stage = study.stages.get(kind=kind)
    opening.open_stage(stage, by=study.owner, at=now())
    return study.stages.get(kind=kind)


def join(study: Study, name: str, *, simulated: bool = False) -> Participation:
    return participation.join(study, "link", name, at=now(), simulated=simulated)


def rate(
    stage: Stage,
    worker: Participation,
    values: Mapping[str, int | None] | None = None,
    *,
    limit: int | None = None,
    **more: object,
) -> list[Assignment]:
    """All that the worker can have of a stage, or `limit` tasks, rated by candidate key (3 where
    none is named, "cannot judge" where it is None) and submitted."""
    done: list[Assignment] = []
    while len(done) != limit:
        assignment = handing_out.hand_out(worker.worker, stage, at=now())
        if assignment is None:
            break
        members = HitCandidate.objects.filter(hit=assignment.hit).select_related("candidate")
        ratings = {}
        for one in members:
            value = (values or {}).get(one.candidate.key, 3)
            comment = "It is blank." if value is None else ""
            seconds = float(more.get("seconds", 6.0))
            ratings[one.candidate_id] = Answer(value, comment, seconds)
        handing_out.save_ratings(assignment, ratings, at=now())
        done.append(handing_out.submit(assignment, at=now()))
    return done


def crowd_values(study: Study, rng: np.random.Generator, noise: float) -> dict[str, int]:
    """A worker's values: the candidate's own worth, which its position decides, and noise."""
    rows = study.candidates.filter(use="rated", same_as=None).order_by("position")
    return {
        row.key: int(np.clip(round(1 + (7 * row.position) % 5 + rng.normal(0, noise)), 1, 5))
        for row in rows
    }


@dataclass
class Scene:
    """`study` is rated by five, one of whom straight-lines; a pair is in it; `message` waits."""

    study: Study
    stage: Stage
    workers: list[Participation]
    message: Message

    @property
    def slug(self) -> str:
        return self.study.slug

    @property
    def candidate(self) -> StudyCandidate:
        return self.study.candidates.filter(use="rated", pair="").order_by("position")[0]

    @property
    def rating(self) -> Rating:
        return Rating.objects.filter(worker=self.workers[0].worker).order_by("pk")[0]


def candidate_import(study: Study, by: User) -> CandidateImport:
    """An import of candidates that waits for a worker."""
    return CandidateImport.objects.create(
        study=study, by=by, actor={}, name="u.jsonl", created_at=now(), sent_at=now()
    )


def full_scene(owner: User | None = None, *, simulated: bool = False) -> Scene:
    owner = owner or researcher()
    study = new_study(owner, PROTOCOL, candidates())
    instance = candidates(1)[0].instance
    pair = Item.minimal_pair("pair-1", instance, "a boat went up", "a boat went down", "antonyms")
    add_items(study, [pair], "pairs")
    stage = open_stage(study)
    rng = np.random.default_rng(5)
    names = [f"worker {at}" for at in range(4)]
    workers = [join(study, name, simulated=simulated) for name in names]
    for at, worker in enumerate(workers):
        values = crowd_values(study, rng, 0.6)
        if at == 3:
            values = dict.fromkeys(values, 2)
        values |= {"pair-1/1": 5, "pair-1/2": 2}
        rate(stage, worker, values, seconds=0.4 if at == 3 else 5.0 + at)
    message = participation.write(workers[1], "Is a boat a ship?", at=now())
    participation.write(workers[2], "I was careful.", Message.Kind.APPEAL, at=now())
    ledgers.add_step(study, ZScoreFilter(1.2, 1), by=owner, at=now() + timedelta(seconds=1))
    return Scene(study, Stage.objects.get(pk=stage.pk), workers, message)


TRIAL = protocol(trial=Trial(candidates=4, ratings=2))
