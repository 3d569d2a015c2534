"""The units of a study that compares candidates: each pair or set is a row that raters judge."""

from __future__ import annotations

from hashlib import sha256

import numpy as np
from django.db import transaction

from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.units import single_candidates, store_units, unit_key
from concord.protocols.pairing import compared
from core.refusals import RefusedError

Use = StudyCandidate.Use
SINGLE_ONLY = (
    "This study compares candidates of one question. Minimal pairs, whose members are rated "
    "separately, need a protocol that rates single candidates."
)


def refresh(study: Study) -> int:
    """Make the units fit the study's candidates and its current protocol; returns how many.

    The units of an instance depend on the study's seed, the instance and its candidates only. No
    stage may have been opened. Raises RefusedError if the study has minimal pairs, and for a unit
    whose key another candidate has.
    """
    with transaction.atomic():
        study.candidates.filter(parts__isnull=False, use=Use.RATED).delete()
        protocol = study.current.protocol
        rows = single_candidates(study)
        if not protocol.compares:
            rows.filter(use=Use.COMPARED).update(use=Use.RATED)
            return 0
        if rows.exclude(pair="").exists():
            raise RefusedError(SINGLE_ONLY, "study-refused")
        by_instance: dict[int, list[StudyCandidate]] = {}
        for row in rows.filter(same_as=None).select_related("instance").order_by("position"):
            by_instance.setdefault(row.instance_id, []).append(row)
        rows.update(use=Use.COMPARED)
        parts: list[tuple[StudyCandidate, ...]] = []
        for candidates in by_instance.values():
            seed = sha256(candidates[0].instance.key.encode("utf-8", "surrogatepass")).digest()
            rng = np.random.default_rng([study.seed, int.from_bytes(seed[:8], "big")])
            for numbers in compared(len(candidates), protocol, rng):
                parts.append(tuple(candidates[number] for number in numbers))
        return len(store_units(study, parts, [{"key": unit_key(members)} for members in parts]))
