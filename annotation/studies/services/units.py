"""The rows that compare candidates, and the candidates that they compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from django.db.models import QuerySet

from annotation.studies.intake import numbered_texts
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate
from core.refusals import RefusedError

Use = StudyCandidate.Use
BATCH_SIZE = 2000
KEY_CHARS, SYSTEM_CHARS = 1000, 500


def single_candidates(study: Study) -> QuerySet[StudyCandidate]:
    """The study's candidates to rate or to compare, and its units; not those in checks."""
    in_checks = ComparedCandidate.objects.filter(unit__study=study).exclude(unit__use=Use.RATED)
    rows = study.candidates.filter(use__in=(Use.RATED, Use.COMPARED))
    return rows.exclude(pk__in=in_checks.values("candidate"))


def store_units(
    study: Study,
    parts: Sequence[Sequence[StudyCandidate]],
    fields: Sequence[Mapping[str, object]],
) -> list[StudyCandidate]:
    """Store units that compare these candidates, each with its key and maybe other fields.

    A unit's text has those of its candidates, for pages that show one text. Raises RefusedError for
    a key that another candidate has.
    """
    last = study.candidates.order_by("-position").values_list("position", flat=True).first()
    start = 0 if last is None else last + 1
    units = [
        StudyCandidate(
            study=study,
            instance=compared[0].instance,
            position=position,
            text=numbered_texts([one.text for one in compared]),
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


def unit_key(compared: Sequence[StudyCandidate]) -> str:
    """The key of a unit that is to be rated: those of its candidates, or their hash."""
    key = " | ".join(candidate.key for candidate in compared)
    if len(key) > KEY_CHARS:
        key = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return key


def _check_keys(study: Study, units: Sequence[StudyCandidate]) -> None:
    keys = [unit.key for unit in units]
    used = study.candidates.filter(key__in=keys).values_list("key", flat=True)[:20]
    if used or len(set(keys)) < len(keys):
        raise RefusedError(
            "Ids of candidates and of what is compared must differ: "
            f"{', '.join(used) or 'two units have the same'}.",
            "study-refused",
        )
