"""Going on with a stage that draws what people rate, when its last wave is rated."""

from __future__ import annotations

import logging
from datetime import datetime

import numpy as np
from django.contrib.postgres.expressions import ArraySubquery
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from annotation.quality.models import Adjudication
from annotation.quality.services.rating_data import kept_ratings, usable_ratings
from annotation.rating.models import Rating
from annotation.rating.services import handing_out
from annotation.stages.models import StageSampling
from annotation.stages.services import (
    completing,
    opening,
    repeated_requests,
    sampling_rules,
    sampling_waves,
)
from annotation.stages.services.sampling_waves import Collection
from annotation.stages.services.stage_plans import candidates_to_pack
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.documents.sampling import LookDocument
from concord.estimation import EstimationError
from concord.filtering import LedgerError
from concord.reliability import RatingsError
from concord.sampling import Look, look
from concord.sentences import to_sentence
from core import audit
from core.refusals import RefusedError

logger = logging.getLogger(__name__)

PROBLEM = "sampling.problem"
NO_ESTIMATE = (EstimationError, LedgerError, RatingsError)
"""Errors of ratings or a ledger that give no gold scores or estimates; a person must act first."""
UNEXPECTED = (
    "Concord could not go on because of an unexpected error. It tries again by itself; an "
    "administrator finds the error in the workers' log."
)


def continue_sampling(stage: Stage, *, at: datetime) -> bool:
    """Take the next step of an open stage whose last wave's HITs are submitted.

    The step is to request ratings again of draws that have none, to draw the next wave, or to close
    the stage at its target. HITs that only request again what is known meanwhile are closed first.
    Returns False where HITs are open or in progress, and where nothing is to be done. Safe to call
    at any time, and twice. Raises RefusedError where a person must act first, and changes nothing
    then.
    """
    handing_out.release_expired(stage, at=at)
    with transaction.atomic():
        stage = (
            Stage.objects.select_for_update(of=("self",)).select_related("study").get(pk=stage.pk)
        )
        design = sampling_rules.sampling_of(stage)
        if stage.status != Stage.Status.OPEN or design is None or design.ended_at is not None:
            return False
        repeated = repeated_requests.repeated_hits(stage)
        if not repeated and not completing.is_complete(stage):
            return False
        collection = sampling_waves.collection_of(design)
        if repeated:
            has_closed = repeated_requests.close_needless(stage, repeated, collection.unrated)
            if not completing.is_complete(stage):
                return has_closed
        if collection.unrated:
            repeated_requests.request_again(stage, collection.unrated)
            return True
        if add_look(design, collection, at=at).is_over:
            opening.close_stage(stage, at=at)
            return True
        sampling_waves.draw_next(design, collection)
        hits = opening.make_hits(stage, candidates_to_pack(stage))
        # A separate random stream: packing uses the stream of the first HIT's index.
        rng = np.random.default_rng([stage.study.seed, stage.number, hits[0].index, 1])
        opening.add_gold(stage, hits, rng)
        return True


def continue_now(sampling: StageSampling, *, at: datetime) -> None:
    """`continue_sampling` for a person who asks. Raises RefusedError where it does nothing."""
    stage = sampling.stage
    if sampling.ended_at is not None:
        raise RefusedError(
            "The sampling has ended: its target is reached, or its budget is used.", "study-refused"
        )
    if stage.status != Stage.Status.OPEN:
        raise RefusedError(f"The {stage.kind} stage is not open.", "study-refused")
    try:
        has_changed = continue_sampling(stage, at=at)
    except NO_ESTIMATE as error:
        raise RefusedError(f"The sampling cannot go on: {error}.", "study-refused") from error
    if not has_changed:
        raise RefusedError(
            "The last wave is not rated yet: its HITs are open or in progress.", "study-refused"
        )
    _store_problem(sampling, "", at)


def try_to_continue(sampling: StageSampling, *, at: datetime) -> None:
    """`continue_sampling`, with an error stored for the page instead of raised."""
    try:
        continue_sampling(sampling.stage, at=at)
    except (RefusedError, *NO_ESTIMATE) as error:
        _store_problem(sampling, to_sentence(error), at)
    except Exception:
        logger.exception("could not continue the sampling of stage %s", sampling.stage_id)
        _store_problem(sampling, UNEXPECTED, at)
    else:
        _store_problem(sampling, "", at)


def unjudged(sampling: StageSampling) -> QuerySet[StudyCandidate]:
    """The drawn candidates that raters could not judge, in their order: they have no rating with a
    value, and no adjudicated value of the main question. Each has `reasons`, the raters'
    comments."""
    study, own = sampling.stage.study, OuterRef("pk")
    rated = usable_ratings(study, [Stage.Kind.FULL]).filter(candidate=own)
    reasons = _not_judged(study).filter(candidate=own).order_by("pk").values("comment")
    return (
        study.candidates.filter(
            Exists(_not_judged(study).filter(candidate=own)),
            ~Exists(rated),
            ~Exists(Adjudication.objects.filter(candidate=own, criterion="")),
            draw__drawn__isnull=False,
        )
        .annotate(reasons=ArraySubquery(reasons))
        .select_related("instance")
        .order_by("position")
    )


def _not_judged(study: Study) -> QuerySet[Rating]:
    """Ratings of the full stage by raters who could not judge the candidate."""
    return kept_ratings(study).filter(value=None, assignment__hit__stage__kind=Stage.Kind.FULL)


def _store_problem(sampling: StageSampling, problem: str, at: datetime) -> None:
    """Store why the sampling cannot go on; empty if it can. Nothing if it was removed meanwhile."""
    if sampling.problem == problem:
        return
    sampling.problem, sampling.problem_at = problem, at if problem else None
    rows = StageSampling.objects.filter(pk=sampling.pk)
    is_stored = rows.update(problem=problem, problem_at=sampling.problem_at)
    if problem and is_stored:
        stage = sampling.stage
        audit.record(None, PROBLEM, stage, after={"problem": problem}, study=stage.study)


ENDED = "sampling.ended"


def add_look(sampling: StageSampling, collection: Collection, *, at: datetime) -> Look:
    """Record what is known from the waves, all of which are rated.

    The stage ends when the target is reached, the budget is used, or nothing is left to draw. Call
    it in a transaction that locks the stage.
    """
    new_look = look(
        collection.population, collection.outcomes, collection.waves, sampling.stopping_rule
    )
    sampling.looks = [*sampling.looks, look_document(new_look, at)]
    if new_look.is_over:
        sampling.ended_at = at
    sampling.save(update_fields=["looks", "ended_at"])
    if new_look.is_over:
        stage = sampling.stage
        after = {**sampling.looks[-1], "target reached": new_look.is_reached}
        audit.record(None, ENDED, stage, after=after, study=stage.study)
    return new_look


def look_document(one_look: Look, at: datetime) -> LookDocument:
    """A look as stored: figures only."""
    return {
        "at": at.isoformat(),
        "waves": one_look.waves,
        "units": one_look.units,
        "share": one_look.share,
        "level": one_look.level,
        "width": one_look.width,
        "unresolved": [list(pair) for pair in one_look.unresolved],
        "is_reached": one_look.is_reached,
        "remaining": None if one_look.remaining is None else list(one_look.remaining),
        "systems": {
            row.system: {
                "mean": row.mean,
                "ci": None if row.ci is None else list(row.ci),
                "reason": row.reason,
            }
            for row in one_look.estimates
        },
    }
