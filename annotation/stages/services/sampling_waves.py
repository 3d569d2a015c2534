"""Waves of a stage's sampling rule: drawing and storing them, and what is rated of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from annotation.quality.services.gold import study_gold
from annotation.stages.models import CandidateDraw, StageSampling
from annotation.stages.services.sampling_rules import (
    CHANGED,
    check_draws,
    check_protocol,
    sampling_of,
)
from annotation.studies.models import Stage, Study
from concord.formats import SamplingRecord
from concord.sampling import (
    Population,
    Wave,
    available_units,
    draw_wave,
    inclusion_probabilities,
    make_population,
    stored_waves,
)
from core import audit
from core.refusals import RefusedError

DRAWN = "sampling.wave drawn"


@dataclass(frozen=True, eq=False)
class Collection:
    """What a stage has drawn and what is rated of it.

    ids: int64 (N,), the candidate that people rate for each candidate of the population. outcomes:
    float64 (N,), gold scores from the full stage; NaN without one.
    """

    population: Population
    waves: list[Wave]
    ids: NDArray[np.int64]
    outcomes: NDArray[np.float64]

    @property
    def unrated(self) -> set[int]:
        """The drawn candidates without a gold score."""
        drawn = ~available_units(self.waves, self.population.size)
        rows = drawn[self.population.units] & np.isnan(self.outcomes)
        return set(self.ids[rows].tolist())


def collection_of(sampling: StageSampling) -> Collection:
    """The stage's collection now. Errors as those of `population_of`."""
    population, waves, ids = population_of(sampling)
    outcomes = _outcomes(sampling.stage.study, ids) if waves else _nothing(ids)
    return Collection(population, waves, ids, outcomes)


def population_of(sampling: StageSampling) -> tuple[Population, list[Wave], NDArray[np.int64]]:
    """(population, waves so far, ids (N,) of the candidates that people rate for each candidate).

    A candidate with the same text as another one of its instance shares that one's ratings. Raises
    RefusedError where all candidates have been replaced since the rule was set.
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
        raise RefusedError(CHANGED, "study-refused")
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


def _outcomes(study: Study, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    gold = study_gold(study, study.current.protocol.aggregation, [Stage.Kind.FULL])
    scores = {pk: one.score for pk, one in gold.by_candidate.items() if one.score is not None}
    return np.array([scores.get(int(pk), np.nan) for pk in ids], dtype=np.float64)


def sampling_records(study: Study) -> dict[int, SamplingRecord]:
    """How each candidate of the study was drawn, by its id; empty without a drawn wave."""
    draws = CandidateDraw.objects.filter(sampling__stage__study=study).exclude(probabilities=[])
    rows = draws.values_list("candidate_id", "unit", "probabilities", "drawn")
    return {pk: SamplingRecord(unit, tuple(p), drawn) for pk, unit, p, drawn in rows}


def draw_next(sampling: StageSampling, collection: Collection) -> None:
    """Draw and store the next wave.

    A wave that draws nothing is stored as well, and the next one follows. Call it in a transaction
    that locks the stage. Raises RefusedError where a changed protocol would leave a wave
    incomplete, and where the first wave draws nothing, so that there is nothing to learn from.
    """
    check_protocol(sampling.stage)
    population, waves = collection.population, [*collection.waves]
    while True:
        wave = _next_wave(sampling, population, collection.outcomes, waves)
        if not waves and not wave.drawn.any():
            raise RefusedError(
                "The first wave drew no instance, by chance. Set the rule again with a larger "
                "wave.",
                "study-refused",
            )
        waves.append(wave)
        _store(sampling, wave, population.unit_ids)
        candidates = int(wave.drawn[population.units].sum())
        about = {"wave": wave.number, "units": int(wave.drawn.sum()), "candidates": candidates}
        audit.record(None, DRAWN, sampling.stage, after=about, study=sampling.stage.study)
        if wave.drawn.any():
            return


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
