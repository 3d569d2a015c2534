"""What viewers from whom labels are hidden see of figures of correctness."""

from __future__ import annotations

from copy import deepcopy

from benchmarks.correctness.services import survival
from benchmarks.correctness.services.options import CorrectnessOptions, CorrectnessRefusedError
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.correctness import BestSystem, CorrectnessResult

FIXED = "withheld: every choice of options would reveal more about hidden labels"


def is_guarded(judgment_set: JudgmentSet) -> bool:
    """Whether labels are hidden from the set's viewer.

    Options are then the defaults, figures are rounded and curves are withheld, since every choice
    of options would reveal more about the labels.
    """
    return bool(hidden.viewer_masks(judgment_set))


def refuse_withheld(judgment_set: JudgmentSet) -> None:
    """Raise CorrectnessRefusedError where the figures of the whole set are withheld."""
    if hidden.WHOLE in hidden.withheld_groups(judgment_set):
        raise CorrectnessRefusedError(hidden.TOO_FEW)


def guard(
    judgment_set: JudgmentSet, document: CorrectnessResult, resolved: CorrectnessOptions
) -> CorrectnessResult:
    """A rounded copy without systems of few labels and without counts that undo the rounding.

    Unchanged where no labels are hidden. Raises CorrectnessRefusedError for other options than the
    defaults.
    """
    if not is_guarded(judgment_set):
        return document
    if resolved != CorrectnessOptions().resolve(judgment_set):
        raise CorrectnessRefusedError(FIXED)
    if "optimised" in document:
        run = judgment_set.runs.get(pk=document["metrics"][0]["run"])
        if survival.is_withheld(judgment_set, run, resolved):
            document = survival.withhold(document)
    rounded: CorrectnessResult = hidden.round_floats(deepcopy(document))
    withheld = hidden.withheld_groups(judgment_set, "system")
    rounded["systems"] = [row for row in rounded["systems"] if row["system"] not in withheld]
    parts: list[BestSystem] = [rounded["reranking"]]
    if "optimised" in rounded:
        parts.append(rounded["optimised"])
    for part in parts:
        if part["system"] is not None and part["system"]["system"] in withheld:
            part["system"] = None
    for row in (rounded["always"], *rounded["metrics"]):
        row["counts"] = None
    rounded["n"]["tuning"]["correct"] = None
    rounded["n"]["reported"]["correct"] = None
    return rounded
