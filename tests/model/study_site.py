"""A small study in the database whose services are called by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import chain
from typing import Any

from django.db import transaction

from annotation.privacy.services import erasing
from annotation.quality.services import ledgers
from annotation.quality.services.rating_data import collect_gold_ratings
from annotation.rating.models import Assignment, Hit, Participation, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.services.handing_out import Answer
from annotation.stages.services import opening
from annotation.studies.models import Stage
from benchmarks.freezing import services as freezing
from concord.filtering import replay
from concord.protocols import RatingRule
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.privacy import needles
from tests.model.study_model import LEASE, StudyModel

WORKERS, RATINGS = 3, 2
EXPECTED_ERRORS = (
    RefusedError,
    RefusedError,
    RefusedError,
    RefusedError,
    RefusedError,
)
Call = tuple[str, list[Any]]


def identity(number: int) -> str:
    return f"identity-of-worker-{number}"


class StudySite:
    """The study. Each operation calls services and returns what the model is to be told of it."""

    def __init__(self, slug: str = "study") -> None:
        protocol = factories.plain(rating_rules=(RatingRule(RATINGS),))
        assert timedelta(minutes=protocol.time_limit_minutes) == LEASE
        self.stage = factories.open_study(protocol, passages=3, each=2, slug=slug)
        self.study = self.stage.study
        self.owner = factories.owner()
        names = [identity(number) for number in range(WORKERS)]
        self.workers = [factories.worker(self.study, name) for name in names]
        self.keys = dict(self.study.candidates.values_list("pk", "key"))

    def model(self) -> StudyModel:
        """The model of the study as it is when nobody has worked yet."""
        hits = self._hits()
        members = {hit: candidates for hit, (_, candidates) in hits.items()}
        wanted = {hit: wanted for hit, (wanted, _) in hits.items()}
        return StudyModel(wanted, members, dict.fromkeys(self.keys, RATINGS))

    def participant(self, worker: int) -> Participation:
        return Participation.objects.select_related("study", "worker").get(worker=worker)

    # What can be done: (the model, the time, arguments) -> calls for the model.

    def hand_out(self, model: StudyModel, at: datetime, who: int) -> list[Call]:
        worker = self.workers[who]
        stage = Stage.objects.select_related("study").get(pk=self.stage.pk)
        assignment = handing_out.hand_out(worker, stage, at=at)
        return [("hand_out", [worker.pk, assignment and assignment.hit_id, at])]

    def release_expired(self, model: StudyModel, at: datetime) -> list[Call]:
        handing_out.release_expired(self.stage, at=at)
        return [("release_expired", [at])]

    def save(
        self, model: StudyModel, at: datetime, who: int, nth: int, place: int, value: Any, ago: int
    ) -> list[Call]:
        """A rating that was made some minutes ago, value None where it could not be judged."""
        if (assignment := self._hold(model, who, nth)) is None:
            return []
        candidate = model.members[assignment.hit_id][place]
        made_at = min(max(at - timedelta(minutes=ago), assignment.started_at), at)
        ratings = Answer(value, "" if value else "It is not clear to me.")
        ok = succeeds(
            lambda: factories.save_change(assignment, candidate, ratings, made_at=made_at, at=at)
        )
        return [("save", [assignment.worker_id, assignment.hit_id, candidate, value, made_at, ok])]

    def submit(self, model: StudyModel, at: datetime, who: int, nth: int) -> list[Call]:
        if (assignment := self._hold(model, who, nth)) is None:
            return []
        ok = succeeds(lambda: handing_out.submit(assignment, at=at))
        return [("submit", [assignment.worker_id, assignment.hit_id, ok])]

    def finish(self, model: StudyModel, at: datetime, who: int, nth: int, value: int) -> list[Call]:
        """Rate all of a HIT and submit it."""
        saved = [self.save(model, at, who, nth, place, value, 0) for place in (0, 1)]
        return [*chain(*saved), *self.submit(model, at, who, nth)]

    def return_hit(self, model: StudyModel, at: datetime, who: int, nth: int) -> list[Call]:
        if (assignment := self._hold(model, who, nth)) is None:
            return []
        ok = handing_out.return_hit(assignment)
        return [("return_hit", [assignment.worker_id, assignment.hit_id, ok])]

    def exclude(self, model: StudyModel, at: datetime, who: int) -> list[Call]:
        worker = self.workers[who].pk
        ledgers.exclude_worker(self.participant(worker), "careless", by=self.owner, at=at)
        return [("exclude", [worker])]

    def readmit(self, model: StudyModel, at: datetime, who: int) -> list[Call]:
        worker = self.workers[who].pk
        ledgers.readmit_worker(self.participant(worker), at=at)
        return [("readmit", [worker])]

    def switch(self, model: StudyModel, at: datetime, nth: int, active: bool) -> list[Call]:
        """Undo a step of the ledger, or do it again."""
        if not model.steps:
            return []
        number = nth % len(model.steps)
        row = self.study.ledger_steps.order_by("number")[number]
        (ledgers.redo_step if active else ledgers.undo_step)(row, at=at)
        return [("switch", [number, active])]

    def drop(self, model: StudyModel, at: datetime, who: int, nth: int) -> list[Call]:
        candidate = sorted(self.keys)[nth]
        worker = self.participant(self.workers[who].pk).worker
        ok = succeeds(
            lambda: ledgers.drop_rating(
                self.study, self.keys[candidate], worker.name, "", by=self.owner, at=at
            )
        )
        return [("drop", [worker.pk, candidate, ok])]

    def withdraw(self, model: StudyModel, at: datetime, who: int) -> list[Call]:
        worker = self.workers[who].pk
        leaving = self.participant(worker)
        ok = succeeds(lambda: participation.withdraw(leaving, "", at=at))
        return [("withdraw", [worker, ok])]

    def erase(self, model: StudyModel, at: datetime, who: int, ratings: bool) -> list[Call]:
        worker = self.workers[who].pk
        participant = self.participant(worker)
        ok = succeeds(lambda: erasing.erase(participant, ratings=ratings, by=self.owner, at=at))
        return [("erase", [worker, ratings, ok])]

    def top_up(self, model: StudyModel, at: datetime) -> list[Call]:
        opening.top_up(self.stage)
        new = {hit: made for hit, made in self._hits().items() if hit not in model.wanted}
        return [("top_up", [new])]

    def open_or_close(self, model: StudyModel, at: datetime, is_open: bool) -> list[Call]:
        if is_open == model.is_open:
            return []
        if is_open:
            # Refused if another has opened it meanwhile: then it is open, as the model says.
            succeeds(lambda: opening.open_stage(self.stage, by=self.owner, at=at))
        else:
            opening.close_stage(self.stage, at=at)
        return [("open_or_close", [is_open])]

    def freeze(self, model: StudyModel, at: datetime) -> list[Call]:
        """Nothing is frozen where no rating is kept."""
        try:
            made = freezing.freeze(self.study, "mean", by=self.owner, at=at)
        except RefusedError:
            return [("freeze", [{}])]
        pks = {key: pk for pk, key in self.keys.items()}
        gold = made.candidates.values_list("key", "gold")
        return [("freeze", [{pks[key]: score for key, score in gold}])]

    # What is there now.

    def state(self) -> dict[str, Any]:
        """What `state_of` says of the model, from the database."""
        parts = Participation.objects.filter(study=self.study)
        names = dict(parts.values_list("worker__name", "worker"))
        ratings = Rating.objects.filter(worker__in=self.workers)
        rows = ratings.values_list(
            "worker", "candidate", "value", "updated_at", "assignment__hit_id"
        )
        collected = collect_gold_ratings(self.study)
        steps = ledgers.steps_of(self.study)
        mask = replay(ledgers.ledger_of(steps), collected.ratings, seconds=collected.seconds).kept
        pks = {key: pk for pk, key in self.keys.items()}
        kept_ratings = collected.keep(mask).ratings
        lines = zip(
            kept_ratings.raters.tolist(),
            kept_ratings.units.tolist(),
            kept_ratings.values.tolist(),
            strict=True,
        )
        replaced = RatingChange.objects.filter(rating__in=ratings)
        return {
            "open_slots": dict(self.stage.hits.values_list("pk", "open_slots")),
            "holds": {
                (one.worker_id, one.hit_id): (str(one.status), one.lease_until)
                for one in Assignment.objects.filter(hit__stage=self.stage)
            },
            "values": {(worker, candidate): rest for worker, candidate, *rest in rows},
            "earlier": Counter(
                replaced.values_list("rating__worker", "rating__candidate", "value")
            ),
            "steps": [
                [names[row.content["worker"]], pks.get(row.content.get("unit")), row.active]
                for row in steps
            ],
            "kept": {
                (names[kept_ratings.rater_names[rater]], pks[kept_ratings.unit_names[unit]]): value
                for rater, unit, value in lines
            },
            "excluded": set(parts.exclude(excluded_at=None).values_list("worker", flat=True)),
            "withdrawn": set(parts.exclude(withdrawn_at=None).values_list("worker", flat=True)),
            "erased": set(parts.exclude(worker__erased_at=None).values_list("worker", flat=True)),
        }

    def identities_found(self) -> list[str]:
        """Where in the database an identity can be read."""
        return needles.search(map(identity, range(WORKERS)), needles.database())

    def _hold(self, model: StudyModel, who: int, nth: int) -> Assignment | None:
        """One of the worker's assignments, the latest first."""
        worker = self.workers[who].pk
        assignments = Assignment.objects.filter(
            worker=worker, hit__in=[hit for w, hit in model.holds if w == worker]
        )
        rows = list(assignments.select_related("protocol_version", "worker").order_by("-pk"))
        return rows[nth % len(rows)] if rows else None

    def _hits(self) -> dict[int, tuple[int, list[int]]]:
        hits = Hit.objects.filter(stage=self.stage).prefetch_related("members")
        return {hit.pk: (hit.wanted, [m.candidate_id for m in hit.members.all()]) for hit in hits}


def state_of(model: StudyModel) -> dict[str, Any]:
    """What of a model can be compared with a study's database."""
    return {
        "open_slots": {hit: model.open_slots(hit) for hit in model.wanted},
        "holds": model.holds,
        "values": {pair: list(value) for pair, value in model.values.items()},
        "earlier": model.earlier,
        "steps": model.steps,
        "kept": model.kept_ratings(),
        "excluded": model.excluded(),
        "withdrawn": model.withdrawn,
        "erased": model.erased,
    }


def succeeds(work: Callable[[], object]) -> bool:
    """Whether a service does what it is asked, or refuses."""
    try:
        with transaction.atomic():
            work()
    except EXPECTED_ERRORS:
        return False
    return True
