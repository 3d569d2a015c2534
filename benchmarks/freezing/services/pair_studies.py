"""Studies that collect minimal pairs for a judgment set after its candidates were rated (MOCHA,
Section 2.5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.setup.services.study_creation import StudySource, create_study, free_name
from annotation.studies.models import Study, StudyInstance
from annotation.studies.services.candidates import add_instances
from annotation.studies.services.upload_rows import SPAN_BASED
from benchmarks.errors.services.studies_from_sets import default_preset
from benchmarks.sets.models import Instance, JudgmentSet
from benchmarks.sets.services import reports
from concord.formats import InstanceRecord
from concord.protocols import DropRules, Protocol, ScalePoint, preset
from concord.protocols.criteria import MAX_POINTS
from core.refusals import RefusedError

ITEMS = "pairs-for-set"


def create(judgment_set: JudgmentSet, *, slug: str, owner: User, seed: int, at: datetime) -> Study:
    """Create a private study of `owner` for minimal pairs on the instances of the set.

    Its protocol is that of the study that the set was frozen from, without the trial, the draw and
    the rules for candidates that are not rated; otherwise that of the set's preset. The instances
    have the set's splits. Freezing makes the set's next version, with the pairs. Raises
    RefusedError for a set without a scale that people can rate on, and ValidationError for a
    name in use.
    """
    protocol, preset_name, version = _protocol_of(judgment_set)
    with transaction.atomic():
        study = create_study(
            slug,
            f"Pairs of answers from {judgment_set.title or judgment_set.name}"[:200],
            protocol,
            source=StudySource(
                preset_name,
                preset_version=version,
                origin={"judgment_set": str(judgment_set), "items": ITEMS},
                for_set=judgment_set.name,
            ),
            owner=owner,
            seed=seed,
            at=at,
        )
        rows = Instance.objects.filter(judgment_set=judgment_set).order_by("pk")
        instances = [InstanceRecord.from_row(row) for row in rows]
        add_instances(study, instances, _span_based(judgment_set, instances))
    return study


def free_slug(judgment_set: JudgmentSet) -> str:
    """The first unused name such as `boats-pairs`, `boats-pairs-2`."""
    return free_name(f"{judgment_set.name[:70]}-pairs")


def _protocol_of(judgment_set: JudgmentSet) -> tuple[Protocol, str, int | None]:
    """The protocol, its preset and the preset's version, if it is known."""
    if judgment_set.scale is None:
        raise RefusedError(
            f"{judgment_set} has no scale: minimal pairs need one that people rate each answer on.",
            "freeze-refused",
        )
    low, high = judgment_set.scale
    origin = reports.study_report(judgment_set)
    name, version = default_preset(judgment_set), None
    if origin is not None:
        protocol, version = Protocol.stored(origin["protocol"]), origin["preset_version"]
    else:
        protocol = preset(name)
    if protocol.compares or (protocol.low, protocol.high) != (low, high):
        name, protocol = "blank", replace(preset("blank"), scale=_points(judgment_set, low, high))
    protocol = replace(protocol, trial=None, drop=DropRules(), draw_questions=None, split_shares=())
    return protocol, name, version if name != "blank" else None


def _points(judgment_set: JudgmentSet, low: float, high: float) -> tuple[ScalePoint, ...]:
    is_whole = low.is_integer() and high.is_integer()
    if not is_whole or not 1 <= high - low < MAX_POINTS:
        raise RefusedError(
            f"The scale of {judgment_set} is {low:g} to {high:g}. People rate on whole numbers, at "
            f"most {MAX_POINTS} of them. Import rated pairs instead.",
            "freeze-refused",
        )
    return tuple(ScalePoint(value, str(value)) for value in range(int(low), int(high) + 1))


def _span_based(judgment_set: JudgmentSet, instances: list[InstanceRecord]) -> set[str]:
    """The constituents whose answers are spans: as in the set's study, or known ones."""
    origin = reports.study_report(judgment_set)
    known = {i.constituent for i in instances if i.constituent.casefold() in SPAN_BASED}
    if origin is None:
        return known
    rows = StudyInstance.objects.filter(study__slug=origin["slug"])
    of_study = dict(rows.values_list("constituent", "span_based").distinct())
    return {name for name, spans in of_study.items() if spans} if of_study else known
