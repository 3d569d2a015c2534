"""Copying a study: protocol and candidates, without raters and ratings."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from annotation.setup.services.study_creation import (
    MAX_BASE_CHARS,
    StudySource,
    create_study,
    free_name,
)
from annotation.studies.models import ComparedCandidate, Study, StudyCandidate, StudyInstance
from annotation.studies.services import access, comparisons
from core import audit
from core.refusals import RefusedError

BATCH_SIZE = 2000
COPY = "copy"


def copy_study(study: Study, slug: str, title: str, *, owner: User, at: datetime) -> Study:
    """Create a study with the current protocol and all candidates of `study`.

    The copy has the same preset, seed, splits and raters' language, so that its HITs are the same.
    Its stages are planned, and `owner` is its only member. Workers, ratings and the ledger are not
    copied. Raises RefusedError unless `owner` may create studies, and ValidationError for a
    name in use.
    """
    if not access.may_create_studies(owner):
        raise RefusedError(access.RESEARCHERS_ONLY, "role-needed")
    with transaction.atomic():
        copy = create_study(
            slug,
            title,
            study.current.protocol,
            source=StudySource(
                study.preset,
                preset_version=study.preset_version,
                origin={"items": COPY, "study": study.slug},
                for_set=study.for_set,
            ),
            owner=owner,
            seed=study.seed,
            at=at,
        )
        copy.rater_language = study.rater_language
        copy.save(update_fields=["rater_language"])
        copied = _copy_candidates(study, copy, _copy_instances(study, copy))
        comparisons.refresh(copy)
        about: dict[str, object] = {"candidates": copied, "copy of": study.slug}
        audit.record(owner, "candidates.added", copy, after=about, study=copy)
    return copy


def free_slug(study: Study, suffix: str) -> str:
    """The first unused name such as `boats-copy`, `boats-copy-2`."""
    return free_name(f"{study.slug[: MAX_BASE_CHARS - len(suffix)]}-{suffix}")


def _copy_instances(study: Study, copy: Study) -> dict[int, int]:
    """Copy the instances. Returns the keys of the copies by those of the originals."""
    originals = list(study.instances.order_by("pk"))
    keys = [row.pk for row in originals]
    for row in originals:
        row.pk, row.study = None, copy
    created = StudyInstance.objects.bulk_create(originals, batch_size=BATCH_SIZE)
    return dict(zip(keys, (row.pk for row in created), strict=True))


def _copy_candidates(study: Study, copy: Study, instances: dict[int, int]) -> int:
    """Copy the candidates and the pairs that are checks, then the links between duplicates.

    Returns how many. The pairs to rate are not copied: `comparisons.refresh` makes them.
    """
    to_rate = study.candidates.filter(parts__isnull=False, use=StudyCandidate.Use.RATED)
    originals = list(study.candidates.exclude(pk__in=to_rate.values("pk")).order_by("position"))
    keys = [row.pk for row in originals]
    same_as = [row.same_as_id for row in originals]
    for row in originals:
        row.pk, row.study, row.same_as_id, row.added_by = None, copy, None, None
        row.instance_id = instances[row.instance_id]
    created = StudyCandidate.objects.bulk_create(originals, batch_size=BATCH_SIZE)
    copies = dict(zip(keys, created, strict=True))
    duplicates = []
    for row, original in zip(created, same_as, strict=True):
        if original is not None:
            row.same_as = copies[original]
            duplicates.append(row)
    StudyCandidate.objects.bulk_update(duplicates, ["same_as"], batch_size=BATCH_SIZE)
    parts = ComparedCandidate.objects.filter(unit__in=keys)
    ComparedCandidate.objects.bulk_create(
        (
            ComparedCandidate(
                unit=copies[part.unit_id],
                candidate=copies[part.candidate_id],
                position=part.position,
            )
            for part in parts
        ),
        batch_size=BATCH_SIZE,
    )
    return len(created)
