"""What a study has collected, read once, in the shape that agreement and quality work on.

A rating is kept when its assignment was submitted and its hold counted. Ratings of those who
withdrew are not used. The order is the stored one: by time, then by key.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from annotation.rating.models import Assignment, Participation, Rating
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.reliability import Ratings

T = TypeVar("T")
REMEMBERED_SECONDS = 3600


@dataclass(frozen=True, eq=False)
class Collected:
    """Kept ratings of a study's rated candidates.

    `ratings` names units by the candidate's key and raters by the worker's name, clusters by
    passage. Of shape (n,), one a rating: `seconds` (NaN where unknown), `pks`, `stages` (index
    into `stage_kinds`), `simulated`. One a unit: `candidate_ids` and `constituents`. One a rater:
    `worker_ids`.
    """

    ratings: Ratings
    seconds: NDArray[np.float64]
    pks: NDArray[np.int64]
    stages: NDArray[np.int64]
    simulated: NDArray[np.bool_]
    stage_kinds: tuple[str, ...]
    candidate_ids: NDArray[np.int64]
    constituents: tuple[str, ...]
    worker_ids: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.ratings)

    @property
    def digest(self) -> str:
        """Names these very ratings, so that what was computed of them can be remembered."""
        parts = (self.pks, self.ratings.values, self.seconds, self.stages)
        return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()

    def keep(self, mask: NDArray[np.bool_]) -> Collected:
        """The ratings where `mask`, of shape (n,), holds; units and raters keep their places."""
        return replace(
            self,
            ratings=self.ratings.keep(mask),
            seconds=self.seconds[mask],
            pks=self.pks[mask],
            stages=self.stages[mask],
            simulated=self.simulated[mask],
        )

    def of_stage(self, kind: str) -> Collected:
        wanted = self.stage_kinds.index(kind) if kind in self.stage_kinds else -1
        return self.keep(self.stages == wanted)

    def of_constituent(self, name: str) -> Collected:
        chosen = np.array([c == name for c in self.constituents], dtype=np.bool_)
        if not len(chosen):
            return self
        return self.keep(chosen[self.ratings.units])


def kept_ratings(study: Study) -> QuerySet[Rating]:
    """Ratings whose assignment counts, of workers who have not withdrawn; any candidate."""
    withdrawn = Participation.objects.filter(
        study=study, worker=OuterRef("worker"), withdrawn_at__isnull=False
    )
    return Rating.objects.filter(
        ~Exists(withdrawn),
        assignment__hit__stage__study=study,
        assignment__status=Assignment.Status.SUBMITTED,
    )


def usable_ratings(study: Study, stages: Iterable[str] | None = None) -> QuerySet[Rating]:
    """Kept ratings with a value, of candidates to be rated, of these stages (by default of all)."""
    rows = kept_ratings(study).filter(value__isnull=False, candidate__use=StudyCandidate.Use.RATED)
    if stages is not None:
        rows = rows.filter(assignment__hit__stage__kind__in=list(stages))
    return rows


def gold_stages(study: Study) -> list[str]:
    """The stages whose ratings make the gold: all that rate, but a trial that does not count."""
    left_out = {Stage.Kind.QUALIFICATION}
    if not study.current.protocol.trial_counts:
        left_out.add(Stage.Kind.TRIAL)
    rating = study.stages.exclude(kind__in=left_out).order_by("number")
    return list(rating.values_list("kind", flat=True))


def collected_for_gold(study: Study) -> Collected:
    """What is `collected` in the stages that make the gold."""
    return collected(study, gold_stages(study))


def collected(study: Study, stages: Iterable[str] | None = None) -> Collected:
    """The kept ratings of candidates to be rated, of these stages (by default of all); one query.

    "Cannot judge" is no value and is left out. Duplicates share their original's ratings, which
    only the original has.
    """
    rows = usable_ratings(study, stages)
    kinds: dict[str, int] = {}
    units: dict[int, int] = {}
    workers: dict[int, int] = {}
    clusters: dict[str, int] = {}
    unit_rows: list[tuple[int, str, str, int]] = []
    names: list[str] = []
    columns: list[tuple[int, int, int, float, float, int, bool]] = []
    for pk, candidate, key, constituent, passage, worker, name, value, seconds, kind, simulated in (
        rows.order_by("created_at", "pk")
        .values_list(
            "pk",
            "candidate_id",
            "candidate__key",
            "candidate__instance__constituent",
            "candidate__instance__passage_key",
            "worker_id",
            "worker__name",
            "value",
            "seconds",
            "assignment__hit__stage__kind",
            "simulated",
        )
        .iterator(chunk_size=5000)
    ):
        unit = units.setdefault(candidate, len(units))
        if unit == len(unit_rows):
            cluster = clusters.setdefault(passage, len(clusters))
            unit_rows.append((candidate, key, constituent, cluster))
        rater = workers.setdefault(worker, len(workers))
        if rater == len(names):
            names.append(name)
        stage = kinds.setdefault(kind, len(kinds))
        time = np.nan if seconds is None else seconds
        assert value is not None
        columns.append((pk, unit, rater, float(value), time, stage, simulated))
    return _arrays(columns, unit_rows, names, workers, kinds)


def _arrays(
    columns: list[tuple[int, int, int, float, float, int, bool]],
    unit_rows: list[tuple[int, str, str, int]],
    names: list[str],
    workers: dict[int, int],
    kinds: dict[str, int],
) -> Collected:
    by_rating: list[Any] = list(zip(*columns, strict=True)) or [()] * 7
    by_unit: list[Any] = list(zip(*unit_rows, strict=True)) or [()] * 4
    pks, units, raters, values, seconds, stages, simulated = by_rating
    ids, keys, constituents, clusters = by_unit
    return Collected(
        ratings=Ratings(
            np.array(units, dtype=np.int64),
            np.array(raters, dtype=np.int64),
            np.array(values, dtype=np.float64),
            np.array(clusters, dtype=np.int64),
            tuple(keys),
            tuple(names),
        ),
        seconds=np.array(seconds, dtype=np.float64),
        pks=np.array(pks, dtype=np.int64),
        stages=np.array(stages, dtype=np.int64),
        simulated=np.array(simulated, dtype=np.bool_),
        stage_kinds=tuple(kinds),
        candidate_ids=np.array(ids, dtype=np.int64),
        constituents=tuple(constituents),
        worker_ids=np.array(list(workers), dtype=np.int64),
    )


@dataclass(frozen=True)
class Simulation:
    """How many of a study's ratings are simulated, and how many are people's."""

    simulated: int
    real: int

    @property
    def mixed(self) -> bool:
        return bool(self.simulated and self.real)


def simulation(study: Study) -> Simulation:
    """Counts every rating there is, submitted or not; one query."""
    found = Rating.objects.filter(assignment__hit__stage__study=study).aggregate(
        made_up=Count("pk", filter=Q(simulated=True)),
        real=Count("pk", filter=Q(simulated=False)),
    )
    return Simulation(found["made_up"], found["real"])


def fingerprint(study: Study) -> tuple[Hashable, ...]:
    """What changes when the kept ratings do: their number, and the time of the last change."""
    found = kept_ratings(study).aggregate(
        n=Count("pk"), last=Max("updated_at"), submitted=Max("assignment__submitted_at")
    )
    return study.pk, found["n"], str(found["last"]), str(found["submitted"])


def remembered(study: Study, what: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """`compute()`, or what it gave before for the same ratings: figures that take a second or so
    are asked for every few seconds while a stage is open."""
    text = repr((fingerprint(study), what))
    key = "annotation:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    found: T | None = cache.get(key)
    if found is None:
        found = compute()
        cache.set(key, found, REMEMBERED_SECONDS)
    return found
