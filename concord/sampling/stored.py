"""Designs as stored with the candidates of a judgment frame, in its column `sampling`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.estimation.sample import EstimationError
from concord.sampling.draws import Wave
from concord.sampling.population import Population, to_population

if TYPE_CHECKING:
    import pandas as pd


def stored_probabilities(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The probabilities of each wave, (T, candidates); NaN after the wave of the draw.

    Raises EstimationError where only some candidates have a design.
    """
    rows: Sequence[Mapping[str, Any] | None] = list(frame["sampling"])
    missing = sum(row is None for row in rows)
    if missing:
        raise EstimationError(
            f"{missing:,} of {len(rows):,} candidates have no sampling; all or none must have it"
        )
    known = [row["probabilities"] for row in rows if row is not None]
    result = np.full((max(map(len, known)), len(rows)), np.nan)
    for column, probabilities in enumerate(known):
        result[: len(probabilities), column] = probabilities
    return result


def stored_design(
    frame: pd.DataFrame, scores: pd.DataFrame, metrics: Sequence[str] | None = None
) -> tuple[Population, list[Wave]]:
    """The population and the waves of a complete frame; `scores`, `metrics` as in `estimate`.

    Raises EstimationError where candidates of a unit were drawn differently, and where a candidate
    that was not drawn lacks the probability of a wave.
    """
    probabilities = stored_probabilities(frame)
    ids = np.array([row["unit"] for row in frame["sampling"]], dtype=np.str_)
    drawn = np.array([row["drawn"] or 0 for row in frame["sampling"]])
    population = to_population(frame, scores, metrics, unit_ids=ids)
    first = np.zeros(population.size, dtype=np.int64)
    first[population.units] = np.arange(len(ids))
    of_unit = first[population.units]
    others = probabilities[:, of_unit]
    is_equal = (probabilities == others) | (np.isnan(probabilities) & np.isnan(others))
    if (differs := ~is_equal.all(axis=0) | (drawn != drawn[of_unit])).any():
        unit = ids[np.flatnonzero(differs)[0]]
        raise EstimationError(f"the candidates of unit '{unit}' were drawn differently")
    if np.isnan(probabilities[:, drawn == 0]).any():
        raise EstimationError("a candidate that was not drawn lacks the probability of a wave")
    waves = [
        Wave(number, row[first], drawn[first] == number)
        for number, row in enumerate(probabilities, start=1)
    ]
    return population, waves


def store_design(
    frame: pd.DataFrame, population: Population, waves: Sequence[Wave]
) -> pd.DataFrame:
    """A copy of the frame of this population with its waves in the column `sampling`."""
    records = unit_records(population.unit_ids, waves)
    result = frame.copy()
    result["sampling"] = [records[unit] for unit in population.units]
    return result


def unit_records(unit_ids: Sequence[str], waves: Sequence[Wave]) -> list[dict[str, Any]]:
    """The sampling of each unit, as in the format `concord`."""
    records: list[dict[str, Any]] = []
    for position, unit in enumerate(unit_ids):
        drawn = next((wave.number for wave in waves if wave.drawn[position]), None)
        values = [float(wave.probabilities[position]) for wave in waves[:drawn]]
        records.append({"unit": unit, "probabilities": values, "drawn": drawn})
    return records
