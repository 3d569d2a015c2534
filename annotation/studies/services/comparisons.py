"""The units of a study that compares candidates: each pair is a row that raters judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import QuerySet

from annotation.studies.errors import StudyError
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from concord.protocols.pairing import pairs_of

Use = StudyCandidate.Use
BATCH_SIZE = 2000
KEY_CHARS, SYSTEM_CHARS = 1000, 500
SINGLE_ONLY = (
    "This study compares candidates of one question. Minimal pairs, whose members are rated "
    "separately, need a protocol that rates single candidates."
)


def refresh(study: Study) -> int:
    """Make the units fit the study's candidates and its current protocol; returns how many.

    The pairs of an instance depend on the study's seed, the instance and its candidates only. No
    stage may have been opened. Raises StudyError if the study has minimal pairs, and for a unit
    whose key another candidate has.
    """
    with transaction.atomic():
        study.candidates.filter(parts__isnull=False, use=Use.RATED).delete()
        protocol = study.current.protocol
        rows = single_candidates(study)
        if protocol.unit == "candidate":
            rows.filter(use=Use.COMPARED).update(use=Use.RATED)
            return 0
        if rows.exclude(pair="").exists():
            raise StudyError(SINGLE_ONLY)
        by_instance: dict[int, list[StudyCandidate]] = {}
        for row in rows.filter(same_as=None).select_related("instance").order_by("position"):
            by_instance.setdefault(row.instance_id, []).append(row)
        rows.update(use=Use.COMPARED)
        parts: list[tuple[StudyCandidate, ...]] = []
        for candidates in by_instance.values():
            seed = sha256(candidates[0].instance.key.encode("utf-8", "surrogatepass")).digest()
            rng = np.random.default_rng([study.seed, int.from_bytes(seed[:8], "big")])
            for first, second in pairs_of(len(candidates), protocol.pairs, rng):
                parts.append((candidates[first], candidates[second]))
        return len(store_units(study, parts, [{"key": _key(compared)} for compared in parts]))


def single_candidates(study: Study) -> QuerySet[StudyCandidate]:
    """The study's candidates to rate or to compare, and its units; not those in checks."""
    in_checks = ComparedCandidate.objects.filter(unit__study=study).exclude(unit__use=Use.RATED)
    rows = study.candidates.filter(use__in=(Use.RATED, Use.COMPARED))
    return rows.exclude(pk__in=in_checks.values("candidate"))


def store_units(
    study: Study,
    parts: Sequence[Sequence[StudyCandidate]],
    fields: Sequence[Mapping[str, Any]],
) -> list[StudyCandidate]:
    """Store units that compare these candidates, each with its key and maybe other fields.

    A unit's text has those of its candidates, for pages that show one text. Raises StudyError for a
    key that another candidate has.
    """
    last = study.candidates.order_by("-position").values_list("position", flat=True).first()
    start = 0 if last is None else last + 1
    units = [
        StudyCandidate(
            study=study,
            instance=compared[0].instance,
            position=position,
            text="\n\n".join(f"{at}. {one.text}" for at, one in enumerate(compared, start=1)),
            system=" | ".join(candidate.system for candidate in compared)[:SYSTEM_CHARS],
            **values,
        )
        for position, (compared, values) in enumerate(zip(parts, fields, strict=True), start=start)
    ]
    _check_keys(study, units)
    created = StudyCandidate.objects.bulk_create(units, batch_size=BATCH_SIZE)
    ComparedCandidate.objects.bulk_create(
        (
            ComparedCandidate(unit=unit, candidate=candidate, position=position)
            for unit, compared in zip(created, parts, strict=True)
            for position, candidate in enumerate(compared, start=1)
        ),
        batch_size=BATCH_SIZE,
    )
    return created


def _key(compared: Sequence[StudyCandidate]) -> str:
    key = " | ".join(candidate.key for candidate in compared)
    if len(key) > KEY_CHARS:
        key = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return key


def _check_keys(study: Study, units: Sequence[StudyCandidate]) -> None:
    keys = [unit.key for unit in units]
    used = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if used or len(set(keys)) < len(keys):
        raise StudyError(
            f"Ids of candidates and of pairs must differ: {', '.join(used) or 'the pairs'}."
        )
