"""The content of a set that is frozen from a study of comparisons: candidates and judged pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.db.models import Q

from annotation.quality.services.choices import judged_pairs
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services.units import single_candidates
from concord.formats.records import CandidateRecord, InstanceRecord, PairRecord

Use = StudyCandidate.Use


def choice_content(
    study: Study, stages: Iterable[str]
) -> tuple[list[CandidateRecord], list[PairRecord], dict[str, int]]:
    """The compared candidates, the pairs with kept choices, and the numbers of those left out.

    An adjudicated pair or set has the choice that a person set only. A candidate has no score. Left
    out are candidates without a kept choice, those that a rule of the protocol drops, and copies of
    another candidate, which were not shown.
    """
    pairs = judged_pairs(study, stages, decided=True)
    judged = {key for pair in pairs for key in pair.candidate_keys}
    left_out: Counter[str] = Counter()
    candidates = []
    instances: dict[int, InstanceRecord] = {}
    compared = single_candidates(study).filter(use=Use.COMPARED)
    is_listed = Q(use=Use.DROPPED) | Q(pk__in=compared.values("pk"))
    rows = study.candidates.filter(is_listed).select_related("instance")
    for row in rows.order_by("position").iterator(chunk_size=2000):
        if row.use == Use.DROPPED:
            left_out[row.drop_reason] += 1
        elif row.same_as_id is not None:
            left_out["the same text as another candidate"] += 1
        elif row.key not in judged:
            left_out["no kept choice"] += 1
        else:
            instance = instances.setdefault(row.instance_id, InstanceRecord.from_row(row.instance))
            candidates.append(CandidateRecord(row.key, instance, row.text, row.system))
    return candidates, pairs, dict(left_out)
