"""New studies with items that a metric gets wrong (MOCHA, Section 6).

The items are its lost minimal pairs, or the candidates on which it disagrees most with people or
with another metric. Only texts are copied, neither gold scores nor ratings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from django.contrib.auth.models import User
from django.db import transaction

from annotation.setup.services.study_creation import (
    Origin,
    StudySource,
    create_study,
    free_name,
)
from annotation.studies.intake import Item
from annotation.studies.models import Study
from annotation.studies.services.candidates import PAIRS, add_items
from annotation.studies.services.upload_rows import SPAN_BASED
from benchmarks.errors.services import browsing, errors
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import hidden, reports
from concord.formats import InstanceRecord
from concord.protocols import PRESETS, preset
from core.refusals import RefusedError

# The default preset of an imported set, by its format or else by its scale.
PRESETS_OF_FORMATS = {"mocha": "mocha-2020", "kpqa": "kpqa-2021", "evouna": "ava-2021"}
PRESETS_OF_SCALES = {(0, 1): "ava-2021", (1, 3): "soricut-brill-2004"}
DISAGREEMENTS, LOST_PAIRS = "disagreements", "lost-pairs"


@dataclass(frozen=True)
class StudyItems:
    """The items of a study. origin: set, metric and selection, for the study and the audit log."""

    candidates: list[Item]
    pairs: list[Item]
    origin: Origin


def may_copy(judgment_set: JudgmentSet) -> bool:
    """Whether no label of the set is hidden from its viewer."""
    return not hidden.viewer_masks(judgment_set)


def lost_pairs(judgment_set: JudgmentSet, run: MetricRun, phenomenon: str = "") -> StudyItems:
    """The minimal pairs that the run's metric orders wrongly, and their instances' candidates.

    phenomenon: restricts the pairs. Raises RefusedError if there is no such pair, or
    labels are hidden.
    """
    _refuse_hidden(judgment_set)
    verdicts = browsing.verdicts(judgment_set, run, phenomenon=phenomenon or None)
    lost = [one.pair for one in verdicts if one.verdict == "wrong"]
    if not lost:
        raise RefusedError(f"{run.metric} orders no such pair wrongly.", "study-refused")
    instance = cache(InstanceRecord.from_row)
    pairs = [
        Item.minimal_pair(
            pair.key, instance(pair.instance), pair.candidate1, pair.candidate2, pair.phenomenon
        )
        for pair in lost
    ]
    origin = _origin(judgment_set, run, LOST_PAIRS, len(pairs))
    origin |= {"phenomenon": phenomenon} if phenomenon else {}
    return StudyItems(_candidates(judgment_set, {pair.instance_id for pair in lost}), pairs, origin)


def disagreements(
    judgment_set: JudgmentSet,
    run: MetricRun,
    other: MetricRun | None,
    count: int,
    *,
    direction: str = "both",
    **labels: str,
) -> StudyItems:
    """The candidates of the instances with the `count` largest disagreements (`errors.conflicts`).

    Raises RefusedError if there is no disagreement, or labels are hidden.
    """
    _refuse_hidden(judgment_set)
    conflicts = errors.conflicts(run, other, count, direction=direction, **labels)
    if not conflicts:
        raise RefusedError("The two rankings agree everywhere.", "study-refused")
    origin = _origin(judgment_set, run, DISAGREEMENTS, len(conflicts))
    origin |= {"against": "people" if other is None else other.metric, "direction": direction}
    origin |= labels
    instances = {one.candidate.instance_id for one in conflicts}
    return StudyItems(_candidates(judgment_set, instances), [], origin)


def default_preset(judgment_set: JudgmentSet) -> str:
    """The preset of the study that the set was frozen from, of its format, or of its scale; else
    `blank`."""
    study = reports.study_report(judgment_set)
    preset_name = study.get("preset", "") if study else ""
    if preset_name in PRESETS:
        return preset_name
    scale = (judgment_set.scale_low, judgment_set.scale_high)
    by_scale = next((name for ends, name in PRESETS_OF_SCALES.items() if ends == scale), "blank")
    return PRESETS_OF_FORMATS.get(judgment_set.source_format) or by_scale


def create(
    judgment_set: JudgmentSet,
    items: StudyItems,
    *,
    preset_name: str = "",
    slug: str = "",
    owner: User,
    seed: int,
    at: datetime,
) -> Study:
    """Create a private study of `owner` with the items.

    preset_name: `default_preset` if empty. The preset's rules for items that are not rated apply;
    no questions are sampled. The title does not say how the items were selected, since raters read
    it. Raises RefusedError for an unknown preset, and for items that the
    study rejects.
    """
    name = preset_name or default_preset(judgment_set)
    if name not in PRESETS:
        raise RefusedError(f"There is no preset “{name[:80]}”.", "study-refused")
    with transaction.atomic():
        study = create_study(
            slug or free_name(f"{judgment_set.name[:60]}-study"),
            f"Answers from {judgment_set.name}",
            preset(name),
            source=StudySource(name, origin=items.origin),
            owner=owner,
            seed=seed,
            at=at,
        )
        if items.candidates:
            constituents = {one.instance.constituent for one in items.candidates}
            spans = [one for one in constituents if one.casefold() in SPAN_BASED]
            add_items(study, items.candidates, span_based=spans)
        if items.pairs:
            add_items(study, items.pairs, PAIRS)
    return study


def _refuse_hidden(judgment_set: JudgmentSet) -> None:
    if not may_copy(judgment_set):
        raise RefusedError(
            f"Labels of {judgment_set} are hidden from you. Its editors can create this study.",
            "study-refused",
        )


def _origin(judgment_set: JudgmentSet, run: MetricRun, items: str, count: int) -> Origin:
    return {
        "judgment_set": str(judgment_set),
        "items": items,
        "count": count,
        "metric": run.metric,
        "signature": run.signature,
    }


def _candidates(judgment_set: JudgmentSet, instances: Iterable[int]) -> list[Item]:
    rows: Iterable[Candidate] = (
        judgment_set.candidates.with_instance()
        .filter(instance__in=list(instances))
        .order_by("position")
    )
    instance = cache(InstanceRecord.from_row)
    return [Item.single(row.key, instance(row.instance), row.text, row.system) for row in rows]
