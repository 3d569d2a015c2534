"""The units of a study that compares candidates: each pair or set is a row that raters judge."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from django.db import transaction

from annotation.studies.errors import StudyError
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from concord.protocols.pairing import compared

Use = StudyCandidate.Use
BATCH_SIZE = 2000
KEY_CHARS, SYSTEM_CHARS = 1000, 500
SINGLE_ONLY = (
    "This study compares candidates of one question. Minimal pairs, whose members are rated "
    "separately, need a protocol that rates single candidates."
)


def refresh(study: Study) -> int:
    """Make the units fit the study's candidates and its current protocol; returns how many.

    The units of an instance depend on the study's seed, the instance and its candidates only. No
    stage may have been opened. Raises StudyError if the study has minimal pairs, and for a unit
    whose key another candidate has.
    """
    with transaction.atomic():
        study.candidates.filter(parts__isnull=False).delete()
        protocol = study.current.protocol
        if not protocol.compares:
            study.candidates.filter(use=Use.COMPARED).update(use=Use.RATED)
            return 0
        rows = study.candidates.filter(use__in=(Use.RATED, Use.COMPARED))
        if rows.exclude(pair="").exists():
            raise StudyError(SINGLE_ONLY)
        by_instance: dict[int, list[StudyCandidate]] = {}
        for row in rows.filter(same_as=None).select_related("instance").order_by("position"):
            by_instance.setdefault(row.instance_id, []).append(row)
        rows.update(use=Use.COMPARED)
        units: list[StudyCandidate] = []
        parts: list[tuple[StudyCandidate, ...]] = []
        last = study.candidates.order_by("-position").values_list("position", flat=True).first()
        start = 0 if last is None else last + 1
        for candidates in by_instance.values():
            seed = sha256(candidates[0].instance.key.encode("utf-8", "surrogatepass")).digest()
            rng = np.random.default_rng([study.seed, int.from_bytes(seed[:8], "big")])
            for numbers in compared(len(candidates), protocol, rng):
                members = tuple(candidates[number] for number in numbers)
                units.append(_unit(study, members, start + len(units)))
                parts.append(members)
        _check_keys(study, units)
        created = StudyCandidate.objects.bulk_create(units, batch_size=BATCH_SIZE)
        ComparedCandidate.objects.bulk_create(
            (
                ComparedCandidate(unit=unit, candidate=candidate, position=position)
                for unit, members in zip(created, parts, strict=True)
                for position, candidate in enumerate(members, start=1)
            ),
            batch_size=BATCH_SIZE,
        )
        return len(created)


def _unit(study: Study, members: Sequence[StudyCandidate], position: int) -> StudyCandidate:
    """A unit; its text has those of the candidates, for pages that show one text."""
    key = " | ".join(candidate.key for candidate in members)
    if len(key) > KEY_CHARS:
        key = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return StudyCandidate(
        study=study,
        instance=members[0].instance,
        position=position,
        key=key,
        text="\n\n".join(f"{at}. {one.text}" for at, one in enumerate(members, start=1)),
        system=" | ".join(candidate.system for candidate in members)[:SYSTEM_CHARS],
    )


def _check_keys(study: Study, units: Sequence[StudyCandidate]) -> None:
    keys = [unit.key for unit in units]
    used = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if used or len(set(keys)) < len(keys):
        raise StudyError(
            "Ids of candidates and of what is compared must differ: "
            f"{', '.join(used) or 'two units have the same'}."
        )
