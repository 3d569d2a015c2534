"""Stages that choose what people rate: setting the rule, drawing waves, looks, and stopping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, Max, Q
from numpy.typing import NDArray

from annotation.quality.services.gold import study_gold
from annotation.rating.models import Assignment
from annotation.stages.models import METRIC_CHARS, CandidateDraw, StageSampling
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.estimation import EstimationError
from concord.formats import SamplingRecord
from concord.formats.errors import quote
from concord.formats.fields import text_fault
from concord.sampling import (
    MIN_WAVE,
    Look,
    Population,
    SamplingRule,
    StoppingRule,
    Wave,
    available_units,
    complete_waves,
    draw_wave,
    inclusion_probabilities,
    look,
    make_population,
    stored_waves,
)
from core import audit

if TYPE_CHECKING:
    import pandas as pd

SET, REMOVED, DRAWN, ENDED = (
    "sampling.set",
    "sampling.removed",
    "sampling.wave drawn",
    "sampling.ended",
)
CHANGED = (
    "The candidates have changed since the sampling rule was set. Set the rule again on the page "
    "Sampling, with scores of all candidates."
)
Use = StudyCandidate.Use


def set_sampling(
    stage: Stage,
    rule: SamplingRule,
    stopping: StoppingRule,
    wave_size: int,
    scores: pd.DataFrame,
    *,
    by: User,
    at: datetime,
) -> StageSampling:
    """Have the full stage draw instances by a rule; replaces an earlier one.

    scores: one column a metric, with the keys of candidates as index. Raises StudyError where the
    stage has HITs, is no full stage, or takes ratings from its trial; where pairs are rated; and
    where a candidate has no score or gets no ratings.
    """
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        _check(stage, wave_size)
        rows = list(
            stage.study.candidates.filter(use=Use.RATED)
            .select_related("instance")
            .order_by("position")
        )
        if not rows:
            raise StudyError("There is nothing to draw from: upload candidates first.")
        if any(row.pair for row in rows):
            raise StudyError("Minimal pairs are rated together and cannot be drawn.")
        values = _scores_of(rows, scores)
        unknown = set(rule.systems) - {row.system for row in rows}
        if unknown:
            raise StudyError(f"There is no system “{min(unknown)}”.")
        StageSampling.objects.filter(stage=stage).delete()
        sampling = StageSampling.objects.create(
            stage=stage,
            rule=asdict(rule),
            stopping=asdict(stopping),
            wave_size=wave_size,
            seed=stage.study.seed,
            metrics=[str(name) for name in scores.columns],
            made_by=by,
            created_at=at,
        )
        CandidateDraw.objects.bulk_create(
            (
                CandidateDraw(sampling=sampling, candidate=row, unit=row.instance.key, scores=line)
                for row, line in zip(rows, values.tolist(), strict=True)
            ),
            batch_size=5000,
        )
        audit.record(by, SET, stage, after=_described(sampling), study=stage.study)
        return sampling


def remove_sampling(stage: Stage, *, by: User) -> None:
    """Have the stage rate everything again. Raises StudyError once it has HITs."""
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.hits.exists():
            raise StudyError("The first wave is drawn: the sampling rule is fixed.")
        if StageSampling.objects.filter(stage=stage).delete()[0]:
            audit.record(by, REMOVED, stage, study=stage.study)


def sampling_of(stage: Stage) -> StageSampling | None:
    """The stage's sampling rule, if it has one."""
    return StageSampling.objects.filter(stage=stage).select_related("stage__study").first()


def sampling_of_study(study: Study) -> StageSampling | None:
    """The sampling rule of the study's full stage, if it has one."""
    return StageSampling.objects.filter(stage__study=study).first()


@dataclass(frozen=True)
class Counts:
    """Units in all, and those drawn so far in how many waves."""

    units: int
    drawn: int
    waves: int


def counts(sampling: StageSampling) -> Counts:
    totals = sampling.draws.aggregate(
        waves=Max("drawn"),
        units=Count("unit", distinct=True),
        units_drawn=Count("unit", distinct=True, filter=Q(drawn__isnull=False)),
    )
    return Counts(totals["units"], totals["units_drawn"], totals["waves"] or 0)


def check_draws(sampling: StageSampling) -> None:
    """Raise StudyError where the rule does not have exactly the candidates to rate."""
    own = set(sampling.draws.values_list("candidate", flat=True))
    rated = sampling.stage.study.candidates.filter(use=Use.RATED)
    if not own or own != set(rated.values_list("pk", flat=True)):
        raise StudyError(CHANGED)


def population_of(sampling: StageSampling) -> tuple[Population, list[Wave], NDArray[np.int64]]:
    """(population, waves so far, ids (N,) of the candidates that people rate for each candidate).

    A candidate with the same text as another one of its instance shares that one's ratings. Raises
    StudyError where all candidates have been replaced since the rule was set.
    """
    rows = list(
        sampling.draws.order_by("candidate__position").values_list(
            "candidate_id",
            "candidate__same_as_id",
            "unit",
            "scores",
            "probabilities",
            "drawn",
            "candidate__system",
            "candidate__instance__passage_key",
            "candidate__instance__constituent",
        )
    )
    if not rows:
        raise StudyError(CHANGED)
    own, originals, units, scores, probabilities, drawn, systems, passages, constituents = zip(
        *rows, strict=True
    )
    ids = [original or pk for pk, original in zip(own, originals, strict=True)]
    # An instance without a passage is a passage of its own.
    keys = [key or f"instance {unit}" for key, unit in zip(passages, units, strict=True)]
    population = make_population(
        np.array(scores, dtype=np.float64),
        tuple(sampling.metrics),
        systems=np.array(systems, dtype=np.str_),
        passages=np.unique(np.array(keys, dtype=np.str_), return_inverse=True)[1],
        constituents=np.array(constituents, dtype=np.str_),
        unit_ids=np.array(units, dtype=np.str_),
    )
    records = map(SamplingRecord, units, map(tuple, probabilities), drawn)
    return population, stored_waves(population, list(records)), np.array(ids, dtype=np.int64)


def outcomes_of(study: Study, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """The gold scores of these candidates from the full stage, (N,); NaN without one."""
    gold = study_gold(study, study.current.protocol.aggregation, [Stage.Kind.FULL])
    scores = {pk: one.score for pk, one in gold.by_candidate.items() if one.score is not None}
    return np.array([scores.get(int(pk), np.nan) for pk in ids], dtype=np.float64)


def sampling_records(study: Study) -> dict[int, SamplingRecord]:
    """How each candidate of the study was drawn, by its id; empty without a drawn wave."""
    draws = CandidateDraw.objects.filter(sampling__stage__study=study).exclude(probabilities=[])
    rows = draws.values_list("candidate_id", "unit", "probabilities", "drawn")
    return {pk: SamplingRecord(unit, tuple(p), drawn) for pk, unit, p, drawn in rows}


def draw_next(sampling: StageSampling) -> list[int]:
    """Draw and store the next wave; returns the ids of its candidates, at least one.

    A wave that draws nothing is stored as well, and the next one follows. Call it in a transaction
    that locks the stage. Raises StudyError where a changed protocol would leave a wave incomplete.
    """
    _check_protocol(sampling.stage)
    population, waves, ids = population_of(sampling)
    outcomes = outcomes_of(sampling.stage.study, ids) if waves else _nothing(ids)
    while True:
        wave = _next_wave(sampling, population, outcomes, waves)
        waves.append(wave)
        _store(sampling, wave, population.unit_ids)
        chosen = ids[wave.drawn[population.units]]
        units = int(wave.drawn.sum())
        about = {"wave": wave.number, "units": units, "candidates": len(chosen)}
        audit.record(None, DRAWN, sampling.stage, after=about, study=sampling.stage.study)
        if len(chosen):
            return [int(pk) for pk in chosen]


def candidates_to_rate(stage: Stage) -> set[int] | None:
    """The candidates of the last wave, or of the first that will be drawn; None without a rule."""
    sampling = sampling_of(stage)
    if sampling is None:
        return None
    population, waves, ids = population_of(sampling)
    drawn = [wave for wave in waves if wave.drawn.any()]
    if not drawn:
        check_draws(sampling)
    last = drawn[-1] if drawn else _next_wave(sampling, population, _nothing(ids), [])
    return {int(pk) for pk in ids[last.drawn[population.units]]}


def current_look(sampling: StageSampling) -> Look | None:
    """What is known from the complete waves now; None before the first is rated."""
    population, waves, ids = population_of(sampling)
    if not waves:
        return None
    try:
        return look(
            population, outcomes_of(sampling.stage.study, ids), waves, sampling.stopping_rule
        )
    except EstimationError:
        return None


def take_look(sampling: StageSampling, *, at: datetime) -> Look | None:
    """Record what is known once the last wave is rated; None while it is not.

    The stage ends when the target is reached, the budget is used, or nothing is left to draw. Call
    it in a transaction that locks the stage.
    """
    stage = sampling.stage
    if not _is_rated(stage):
        return None
    population, waves, ids = population_of(sampling)
    outcomes = outcomes_of(stage.study, ids)
    if len(complete_waves(population, outcomes, waves)) < len(waves):
        return None
    new_look = look(population, outcomes, waves, sampling.stopping_rule)
    sampling.looks = [*sampling.looks, look_document(new_look, at)]
    if new_look.is_over:
        sampling.ended_at = at
    sampling.save(update_fields=["looks", "ended_at"])
    if new_look.is_over:
        after = {**sampling.looks[-1], "target reached": new_look.is_reached}
        audit.record(None, ENDED, stage, after=after, study=stage.study)
    return new_look


def look_document(one_look: Look, at: datetime) -> dict[str, Any]:
    """A look as stored: figures only."""
    return {
        "at": at.isoformat(),
        "waves": one_look.waves,
        "units": one_look.units,
        "share": one_look.share,
        "level": one_look.level,
        "width": one_look.width,
        "unresolved": [list(pair) for pair in one_look.unresolved],
        "is_reached": one_look.is_reached,
        "remaining": None if one_look.remaining is None else list(one_look.remaining),
        "systems": {
            row.system: {
                "mean": row.mean,
                "ci": None if row.ci is None else list(row.ci),
                "reason": row.reason,
            }
            for row in one_look.estimates
        },
    }


def _check(stage: Stage, wave_size: int) -> None:
    if stage.kind != Stage.Kind.FULL:
        raise StudyError("Only the full stage can draw what people rate.")
    if stage.hits.exists():
        raise StudyError("The stage has HITs: a sampling rule must be set before it is opened.")
    _check_protocol(stage)
    if wave_size < MIN_WAVE:
        raise StudyError(f"A wave needs {MIN_WAVE} instances or more.")


def _check_protocol(stage: Stage) -> None:
    """Raise StudyError where not all ratings of a wave would come from the stage."""
    protocol = stage.study.current.protocol
    if protocol.compares:
        raise StudyError("Comparisons of candidates cannot be drawn by a rule.")
    if protocol.trial is not None and protocol.trial_counts:
        raise StudyError(
            "The trial's ratings count, and no rule drew them. Say in the protocol that they do "
            "not count."
        )
    rows = stage.study.candidates.filter(use=Use.RATED).order_by()
    for split, spans in rows.values_list("instance__split", "instance__span_based").distinct():
        if not protocol.ratings_for(split, span_based=spans):
            raise StudyError(
                f"No rating rule of the protocol applies to {_kind_in_words(split, spans)}, so "
                "their wave would never be complete. Add a rule, or leave these candidates out."
            )


def _kind_in_words(split: str, spans: bool) -> str:
    kind = "candidates that are spans" if spans else "candidates"
    return f"{kind} of the split “{split}”" if split else f"{kind} without a split"


def _scores_of(rows: Sequence[StudyCandidate], scores: pd.DataFrame) -> NDArray[np.float64]:
    if not len(scores.columns):
        raise StudyError("The file has no scores.")
    for name in scores.columns:
        if (fault := text_fault(name, METRIC_CHARS)) is not None:
            raise StudyError(f"The name of the metric {quote(name)} {fault}.")
    values = scores.reindex([row.key for row in rows]).to_numpy(np.float64)
    missing = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(missing):
        raise StudyError(
            f"{len(missing):,} of {len(rows):,} candidates have no score, such as "
            f"“{rows[missing[0]].key}”. Score every candidate."
        )
    return np.asarray(values)


def _next_wave(
    sampling: StageSampling,
    population: Population,
    outcomes: NDArray[np.float64],
    waves: Sequence[Wave],
) -> Wave:
    p = inclusion_probabilities(
        sampling.sampling_rule,
        population,
        outcomes,
        available_units(waves, population.size),
        sampling.wave_size,
    )
    return draw_wave(len(waves) + 1, p, population.unit_ids, seed=sampling.seed)


def _store(sampling: StageSampling, wave: Wave, unit_ids: Sequence[str]) -> None:
    """Append the wave's probabilities to all candidates that could be drawn."""
    rows = np.flatnonzero(wave.available)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            UPDATE {CandidateDraw._meta.db_table} AS draw
            SET probabilities = draw.probabilities || wave.p,
                drawn = CASE WHEN wave.drawn THEN %s END
            FROM unnest(%s::text[], %s::float8[], %s::bool[]) AS wave (unit, p, drawn)
            WHERE draw.sampling_id = %s AND draw.unit = wave.unit AND draw.drawn IS NULL
            """,
            [
                wave.number,
                [unit_ids[row] for row in rows.tolist()],
                wave.probabilities[rows].tolist(),
                wave.drawn[rows].tolist(),
                sampling.pk,
            ],
        )


def _nothing(ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """No outcomes yet."""
    return np.full(len(ids), np.nan)


def _is_rated(stage: Stage) -> bool:
    """Whether no HIT of the stage is open or in progress."""
    held = Assignment.objects.filter(hit__stage=stage, status=Assignment.Status.HELD)
    return not stage.hits.filter(open_slots__gt=0).exists() and not held.exists()


def _described(sampling: StageSampling) -> Mapping[str, Any]:
    return {
        "rule": sampling.rule,
        "stopping": sampling.stopping,
        "wave size": sampling.wave_size,
        "metrics": sampling.metrics,
    }
