"""How the candidates of a set were drawn."""

from __future__ import annotations

from benchmarks.sets.models import JudgmentSet
from concord.formats import SamplingRecord


def sampling_records(judgment_set: JudgmentSet) -> list[SamplingRecord | None]:
    """The record of each candidate, by position; None for one that no rule could draw."""
    rows = judgment_set.candidates.order_by("position").values_list(
        "sampling__unit", "sampling__probabilities", "sampling__drawn"
    )
    return [
        None if unit is None else SamplingRecord(unit, tuple(probabilities), drawn)
        for unit, probabilities, drawn in rows
    ]
