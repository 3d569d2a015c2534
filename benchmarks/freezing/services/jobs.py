"""Freezing as a job: requested, then done by a worker. Callers send the tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import now

from annotation.quality.services.rating_data import gold_stages
from annotation.studies.models import Study
from annotation.studies.services import access
from benchmarks.freezing.models import STEPS, Freezing
from benchmarks.freezing.services import making, preparing
from benchmarks.freezing.services.previews import FreezingPreview
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services.access import sets_for
from core.accounts.roles import Role, SiteUser
from core.audit.actors import Actor, acting_as, current_actor
from core.jobs.kinds import JobKind
from core.jobs.performing import StoppedError
from core.refusals import RefusedError


def request(
    study: Study,
    aggregation: str,
    *,
    name: str = "",
    stages: Iterable[str] | None = None,
    is_preview: bool = False,
    by: User,
    at: datetime,
) -> Freezing:
    """The active job with these parameters, or a new one.

    Raises RefusedError for what can be refused before the gold scores are computed.
    """
    stages = sorted(gold_stages(study) if stages is None else set(stages))
    name = name or making.default_name(study)
    origin = preparing.check(study, aggregation, stages)
    if not is_preview:
        making.check_name(
            study,
            name,
            is_simulated=bool(origin.simulated),
            by=by,
            only_pairs=making.has_only_pairs(study),
        )
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # for concurrent requests
        choices = {
            "aggregation": aggregation,
            "stages": stages,
            "name": name,
            "is_preview": is_preview,
        }
        same = {f"parameters__{name}": value for name, value in choices.items()}
        active = Freezing.objects.of(study).filter(status__in=Freezing.ACTIVE, **same)
        return active.first() or Freezing.objects.create(
            target=study,
            by=by,
            parameters={**choices, "actor": asdict(current_actor(by))},
            total=STEPS,
            created_at=at,
            sent_at=at,
        )


def visible_set(freezing: Freezing, user: SiteUser) -> JudgmentSet | None:
    """The version that the job made, if there is one and the user may see it."""
    if freezing.judgment_set is None:
        return None
    return sets_for(user).filter(pk=freezing.judgment_set).first()


def _work(freezing: Freezing) -> None:
    assert freezing.by is not None
    # The account may have lost its role since the request.
    study = access.study_for(freezing.by, freezing.target.slug, Role.EDITOR)
    frozen = preparing.prepare(study, freezing.aggregation, freezing.stages)
    figures = FreezingPreview.from_frozen(study, frozen).to_json()
    if not freezing.advance(at=now(), done=1, result={"preview": figures}):
        raise StoppedError
    if freezing.is_preview:
        freezing.complete(at=now())
        return
    with acting_as(Actor(**freezing.actor)), transaction.atomic():
        frozen = preparing.lock_and_refresh(study, frozen)
        judgment_set = making.store(study, frozen, freezing.name, by=freezing.by, at=now())
        figures = FreezingPreview.from_frozen(study, frozen).to_json()
        result = {"preview": figures, "judgment_set": judgment_set.pk}
        if not freezing.complete(at=now(), result=result):
            raise StoppedError


FREEZINGS = JobKind(Freezing, _work, expected_errors=(RefusedError,), is_deleted=True)
