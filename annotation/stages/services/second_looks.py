"""A stage that asks other raters about some candidates of a study again.

Raters see neither the first ratings nor why a candidate was chosen, and nobody rates a candidate
twice. The ratings count for the gold score only where a freezing names the stage.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max

from annotation.stages.models import SecondLookCandidate
from annotation.stages.services import opening
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.bounds import find_bound
from concord.protocols import RatingRule
from core import audit

RATINGS = find_bound(RatingRule, "ratings")
SHOWN_KEYS = 20


def request_second_look(
    study: Study, keys: Collection[str], ratings: int, *, by: User, at: datetime
) -> Stage:
    """Ask for `ratings` more ratings of each candidate with one of these keys.

    The stage is made if the study has none; a person opens it. If it is open, its HITs are made
    now. A candidate that it has already is not asked about again. A duplicate is rated as its
    original. Raises StudyError for an archived study, for pairs, for unknown keys, before the full
    stage was opened, and if the stage was closed.
    """
    if not RATINGS.minimum <= ratings <= RATINGS.maximum:
        raise StudyError(
            f"Ask for {RATINGS.minimum:g} to {RATINGS.maximum:g} ratings of each candidate."
        )
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        _check_study(study)
        candidates = _candidates(study, keys)
        stage = _stage(study)
        SecondLookCandidate.objects.bulk_create(
            (SecondLookCandidate(stage=stage, candidate_id=pk, ratings=ratings)
             for pk in candidates),
            ignore_conflicts=True,
        )  # fmt: skip
        about = {"candidates": len(candidates), "ratings": ratings}
        audit.record(by, "stage.second look requested", stage, after=about, study=study)
        if stage.status == Stage.Status.OPEN:
            opening.top_up(stage)
        return stage


def _check_study(study: Study) -> None:
    if study.archived_at is not None:
        raise StudyError("The study is archived. Restore it on its Settings page first.")
    if study.current.protocol.compares:
        raise StudyError("A second look is at single candidates; the study compares answers.")
    full = study.stages.filter(kind=Stage.Kind.FULL)
    if not full.exclude(status=Stage.Status.PLANNED).exists():
        raise StudyError("A second look comes after the full stage, which was never opened.")


def _candidates(study: Study, keys: Collection[str]) -> list[int]:
    """The primary keys of the candidates, of duplicates those of their originals."""
    rows = study.candidates.filter(key__in=keys, use=StudyCandidate.Use.RATED)
    by_key = {key: original or pk for key, pk, original in rows.values_list("key", "pk", "same_as")}
    if unknown := sorted(set(keys) - set(by_key)):
        names = ", ".join(unknown[:SHOWN_KEYS])
        raise StudyError(f"The study has no candidates to rate with these keys: {names}.")
    if not by_key:
        raise StudyError("Choose one candidate or more.")
    return sorted(set(by_key.values()))


def _stage(study: Study) -> Stage:
    last = study.stages.aggregate(last=Max("number"))["last"]
    stage, _ = study.stages.get_or_create(
        kind=Stage.Kind.SECOND_LOOK, defaults={"number": last + 1}
    )
    if stage.status == Stage.Status.CLOSED:
        raise StudyError("The second look was closed. Open it again on the page Stages first.")
    return stage
