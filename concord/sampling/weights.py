"""Design weights of candidates, for figures other than means of systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from concord.arrays import Floats, Integers
from concord.estimation import EstimationError
from concord.formats import SamplingRecord
from concord.sampling.draws import unit_weights
from concord.sampling.estimates import complete_waves
from concord.sampling.population import make_population
from concord.sampling.stored import complete_records, stored_waves


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
