"""A study's ratings as arrays, for agreement and quality control.

A rating is kept if its assignment was submitted and counts. Ratings of workers who withdrew are not
used. Ratings are in the order of time, then key.
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
from concord.protocols import Criterion
from concord.protocols.answers import coded
from concord.reliability import Ratings

T = TypeVar("T")
CACHE_SECONDS = 3600
# Increase it when the class of a cached result changes: an upgrade keeps the cache.
CACHE_FORMAT = 2


@dataclass(frozen=True, eq=False)
class CollectedRatings:
    """Kept ratings of a study's rated candidates.

    `ratings` identifies units by the candidate's key, raters by the worker's name, and clusters by
    passage. Per rating, of shape (n,): `seconds` (NaN if unknown), `pks`, `stages` (index into
    `stage_kinds`), `simulated`. Per unit: `candidate_ids` and `constituents`. Per rater:
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
        """Identifies these ratings, so that results computed from them can be cached."""
        parts = (self.pks, self.ratings.values, self.seconds, self.stages)
        return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()

    def keep(self, mask: NDArray[np.bool_]) -> CollectedRatings:
        """The ratings where `mask`, of shape (n,), is true. Units and raters keep their indices."""
        return replace(
            self,
            ratings=self.ratings.keep(mask),
            seconds=self.seconds[mask],
            pks=self.pks[mask],
            stages=self.stages[mask],
            simulated=self.simulated[mask],
        )

    def of_stage(self, kind: str) -> CollectedRatings:
        index = self.stage_kinds.index(kind) if kind in self.stage_kinds else -1
        return self.keep(self.stages == index)

    def of_constituent(self, name: str) -> CollectedRatings:
        is_of_constituent = np.array([c == name for c in self.constituents], dtype=np.bool_)
        if not len(is_of_constituent):
            return self
        return self.keep(is_of_constituent[self.ratings.units])


def kept_ratings(study: Study) -> QuerySet[Rating]:
    """Ratings of submitted assignments that count, of workers who have not withdrawn."""
    withdrawn = Participation.objects.filter(
        study=study, worker=OuterRef("worker"), withdrawn_at__isnull=False
    )
    return Rating.objects.filter(
        ~Exists(withdrawn),
        assignment__hit__stage__study=study,
        assignment__status=Assignment.Status.SUBMITTED,
    )


def usable_ratings(study: Study, stages: Iterable[str] | None = None) -> QuerySet[Rating]:
    """Kept ratings with a value, of candidates to rate, of these stages (by default all).

    If people rated the study too, ratings of excluded simulated workers are not used at all: they
    would influence the filters of the ledger that come before the exclusion.
    """
    excluded = Participation.objects.filter(
        study=study, worker=OuterRef("worker"), excluded_at__isnull=False
    )
    by_people = Rating.objects.filter(assignment__hit__stage__study=study, simulated=False)
    rows = (
        kept_ratings(study)
        .filter(value__isnull=False, candidate__use=StudyCandidate.Use.RATED)
        .exclude(Q(simulated=True) & Exists(excluded) & Exists(by_people))
    )
    if stages is not None:
        rows = rows.filter(assignment__hit__stage__kind__in=list(stages))
    return rows


def gold_stages(study: Study) -> list[str]:
    """The stages whose ratings count for the gold score: all but the test, a trial that does not
    count, and a second look."""
    excluded = {Stage.Kind.QUALIFICATION, Stage.Kind.SECOND_LOOK}
    if not study.current.protocol.trial_counts:
        excluded.add(Stage.Kind.TRIAL)
    stages = study.stages.exclude(kind__in=excluded).order_by("number")
    return list(stages.values_list("kind", flat=True))


def collect_gold_ratings(study: Study) -> CollectedRatings:
    """The ratings of `collect_ratings` in the stages that count for the gold score."""
    return collect_ratings(study, gold_stages(study))


def collect_first_ratings(study: Study) -> CollectedRatings:
    """The ratings of `collect_ratings` in all stages but the second look, whose candidates were
    chosen because people and a judge disagree."""
    stages = study.stages.exclude(kind=Stage.Kind.SECOND_LOOK).values_list("kind", flat=True)
    return collect_ratings(study, list(stages))


def collect_ratings(
    study: Study, stages: Iterable[str] | None = None, criterion: Criterion | None = None
) -> CollectedRatings:
    """The kept ratings of candidates to rate, of these stages (by default all); one query.

    criterion: the values are the answers to it (`answers.coded`); None: to the main question.
    "Cannot judge" has no value and is left out, as are missing answers. That both candidates of a
    pair are bad is a tie. Duplicates share the ratings of their original.
    """
    rows = usable_ratings(study, stages)
    kinds: dict[str, int] = {}
    units: dict[int, int] = {}
    workers: dict[int, int] = {}
    clusters: dict[str, int] = {}
    unit_rows: list[tuple[int, str, str, int]] = []
    names: list[str] = []
    columns: list[tuple[int, int, int, float, float, int, bool]] = []
    for pk, candidate, key, constituent, passage, worker, name, rated, seconds, kind, simulated in (
        rows.order_by("created_at", "pk")
        .values_list(
            "pk",
            "candidate_id",
            "candidate__key",
            "candidate__instance__constituent",
            "candidate__instance__passage_key",
            "worker_id",
            "worker__name",
            "value" if criterion is None else "answers",
            "seconds",
            "assignment__hit__stage__kind",
            "simulated",
        )
        .iterator(chunk_size=5000)
    ):
        value = rated if criterion is None else coded(criterion, rated)
        if value is None:
            continue
        if criterion is None and value < 0:
            value = study.current.protocol.counted(int(value))
        unit = units.setdefault(candidate, len(units))
        if unit == len(unit_rows):
            cluster = clusters.setdefault(passage, len(clusters))
            unit_rows.append((candidate, key, constituent, cluster))
        rater = workers.setdefault(worker, len(workers))
        if rater == len(names):
            names.append(name)
        stage = kinds.setdefault(kind, len(kinds))
        time = np.nan if seconds is None else seconds
        columns.append((pk, unit, rater, float(value), time, stage, simulated))
    return _arrays(columns, unit_rows, names, workers, kinds)


def _arrays(
    columns: list[tuple[int, int, int, float, float, int, bool]],
    unit_rows: list[tuple[int, str, str, int]],
    names: list[str],
    workers: dict[int, int],
    kinds: dict[str, int],
) -> CollectedRatings:
    # zip gives all columns the same type.
    by_rating: list[Any] = list(zip(*columns, strict=True)) or [()] * 7
    # The same.
    by_unit: list[Any] = list(zip(*unit_rows, strict=True)) or [()] * 4
    pks, units, raters, values, seconds, stages, simulated = by_rating
    ids, keys, constituents, clusters = by_unit
    return CollectedRatings(
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
    """How many of a study's ratings are simulated, and how many are by people."""

    simulated: int
    real: int

    @property
    def mixed(self) -> bool:
        return bool(self.simulated and self.real)


def simulation(study: Study) -> Simulation:
    """Count every rating, submitted or not; one query.

    If people rated the study too, ratings of excluded simulated workers do not count.
    """
    excluded = Participation.objects.filter(
        study=study, worker=OuterRef("worker"), excluded_at__isnull=False
    )
    counts = Rating.objects.filter(assignment__hit__stage__study=study).aggregate(
        by_people=Count("pk", filter=Q(simulated=False)),
        made_up=Count("pk", filter=Q(simulated=True)),
        unused=Count("pk", filter=Q(Exists(excluded), simulated=True)),
    )
    unused = counts["unused"] if counts["by_people"] else 0
    return Simulation(counts["made_up"] - unused, counts["by_people"])


def fingerprint(study: Study) -> tuple[Hashable, ...]:
    """A value that changes with the kept ratings: their number and the time of the last change."""
    figures = kept_ratings(study).aggregate(
        n=Count("pk"), last=Max("updated_at"), submitted=Max("assignment__submitted_at")
    )
    return study.pk, figures["n"], str(figures["last"]), str(figures["submitted"])


def cached(study: Study, name: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """The result of `compute()`, cached for these ratings.

    Open pages request figures that take about a second every few seconds.
    """
    text = repr((CACHE_FORMAT, fingerprint(study), name))
    key = "annotation:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    value: T | None = cache.get(key)
    if value is None:
        value = compute()
        cache.set(key, value, CACHE_SECONDS)
    return value
