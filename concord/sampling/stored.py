"""Conversion between a design and the sampling records that are stored with the candidates, and the
design weights of candidates, for figures other than means of systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation.sample import EstimationError
from concord.formats import SamplingRecord
from concord.sampling.draws import Wave, unit_weights
from concord.sampling.estimates import complete_waves
from concord.sampling.population import Population, make_population, to_population

if TYPE_CHECKING:
    import pandas as pd


def stored_design(
    frame: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> tuple[Population, list[Wave]]:
    """The population and the waves of a complete frame with the column `sampling`.

    scores, metrics: as in `concord.estimation.estimate`. Errors as those of `stored_waves`.
    """
    records = complete_records(
        [None if row is None else SamplingRecord(**row) for row in frame["sampling"]]
    )
    ids = np.array([record.unit for record in records], dtype=np.str_)
    population = to_population(frame, scores, metrics, unit_ids=ids)
    return population, stored_waves(population, records)


def complete_records(records: Sequence[SamplingRecord | None]) -> list[SamplingRecord]:
    """The records. Raises EstimationError where a candidate has none."""
    known = [record for record in records if record is not None]
    if len(known) < len(records):
        raise EstimationError(
            f"{len(records) - len(known):,} of {len(records):,} candidates have no sampling; all "
            "or none must have it"
        )
    return known


def stored_waves(population: Population, records: Sequence[SamplingRecord]) -> list[Wave]:
    """The waves in the records of the population's candidates; empty where none was drawn.

    Raises EstimationError where two candidates of a unit have different records, and where a
    candidate that was not drawn lacks the probability of a wave.
    """
    by_unit: list[SamplingRecord | None] = [None] * population.size
    for unit, record in zip(population.units.tolist(), records, strict=True):
        if (by_unit[unit] or record) != record:
            raise EstimationError(f"the candidates of unit '{record.unit}' were drawn differently")
        by_unit[unit] = record
    units = [record for record in by_unit if record is not None]
    n_waves = max(len(record.probabilities) for record in units)
    if any(record.drawn is None and len(record.probabilities) < n_waves for record in units):
        raise EstimationError("a candidate that was not drawn lacks the probability of a wave")
    probabilities = np.full((n_waves, len(units)), np.nan)
    for column, record in enumerate(units):
        probabilities[: len(record.probabilities), column] = record.probabilities
    drawn = np.array([record.drawn or 0 for record in units])
    return [Wave(number, p, drawn == number) for number, p in enumerate(probabilities, start=1)]


def unit_records(unit_ids: Sequence[str], waves: Sequence[Wave]) -> list[SamplingRecord]:
    """The record of each unit."""
    records = []
    for position, unit in enumerate(unit_ids):
        drawn = next((wave.number for wave in waves if wave.drawn[position]), None)
        values = tuple(float(wave.probabilities[position]) for wave in waves[:drawn])
        records.append(SamplingRecord(unit, values, drawn))
    return records


def candidate_weights(
    records: Sequence[SamplingRecord | None], outcomes: Floats, passages: Integers
) -> Floats:
    """The design weight of each candidate, (N,); 0 where no complete wave drew it.

    records, outcomes, passages: of all candidates. A weighted sum over the drawn candidates is
    unbiased for the sum over all (`unit_weights`). Raises EstimationError where a candidate has no
    record, where records contradict each other, and where no wave is complete.
    """
    known = complete_records(records)
    population = make_population(
        np.zeros((len(known), 0)),
        (),
        systems=np.full(len(known), "", dtype=np.str_),
        passages=passages,
        constituents=np.full(len(known), "", dtype=np.str_),
        unit_ids=np.array([record.unit for record in known], dtype=np.str_),
    )
    waves = stored_waves(population, known)
    complete = complete_waves(population, outcomes, waves)
    if not complete:
        in_first = [record if record.drawn == 1 else None for record in known]
        if not any(in_first):
            raise EstimationError("the first wave drew no candidate")
        raise EstimationError(
            f"{count_unrated(in_first, outcomes):,} candidates that the first wave drew have no "
            "human score, so that the others do not stand for the whole set: rate them, or set "
            "their values by adjudication"
        )
    return unit_weights(complete, population.size)[population.units]


def count_unrated(records: Sequence[SamplingRecord | None], outcomes: Floats) -> int:
    """Number of drawn candidates without an outcome. `candidate_weights` leaves out their waves and
    all later ones."""
    return sum(
        record is not None and record.drawn is not None and bool(np.isnan(outcome))
        for record, outcome in zip(records, outcomes.tolist(), strict=True)
    )
