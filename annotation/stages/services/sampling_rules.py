"""A stage's sampling rule: setting and removing it, and what can be drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from numpy.typing import NDArray

from annotation.stages.models import METRIC_CHARS, CandidateDraw, StageSampling
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.formats.errors import quote
from concord.formats.fields import text_fault
from concord.sampling import MIN_WAVE, SamplingRule, StoppingRule
from core import audit

if TYPE_CHECKING:
    import pandas as pd

SET, REMOVED = "sampling.set", "sampling.removed"
CHANGED = (
    "The candidates have changed since the sampling rule was set. Set the rule again on the page "
    "Sampling, with scores of all candidates."
)
Use = StudyCandidate.Use


def set_sampling(
    stage: Stage,
    rule: SamplingRule,
    stopping: StoppingRule,
    wave_size: int,
    scores: pd.DataFrame,
    *,
    by: User,
    at: datetime,
) -> StageSampling:
    """Have the full stage draw instances by a rule; replaces an earlier one.

    scores: one column a metric, with the keys of candidates as index. Raises StudyError where the
    stage has HITs, is no full stage, or takes ratings from its trial; where pairs are rated; and
    where a candidate has no score or gets no ratings.
    """
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        _check(stage, wave_size)
        rows = list(
            stage.study.candidates.filter(use=Use.RATED)
            .select_related("instance")
            .order_by("position")
        )
        if not rows:
            raise StudyError("There is nothing to draw from: upload candidates first.")
        if any(row.pair for row in rows):
            raise StudyError("Minimal pairs are rated together and cannot be drawn.")
        values = _scores_of(rows, scores)
        unknown = set(rule.systems) - {row.system for row in rows}
        if unknown:
            raise StudyError(f"There is no system “{min(unknown)}”.")
        StageSampling.objects.filter(stage=stage).delete()
        sampling = StageSampling.objects.create(
            stage=stage,
            rule=asdict(rule),
            stopping=asdict(stopping),
            wave_size=wave_size,
            seed=stage.study.seed,
            metrics=[str(name) for name in scores.columns],
            made_by=by,
            created_at=at,
        )
        CandidateDraw.objects.bulk_create(
            (
                CandidateDraw(sampling=sampling, candidate=row, unit=row.instance.key, scores=line)
                for row, line in zip(rows, values.tolist(), strict=True)
            ),
            batch_size=5000,
        )
        audit.record(by, SET, stage, after=_described(sampling), study=stage.study)
        return sampling


def remove_sampling(stage: Stage, *, by: User) -> None:
    """Have the stage rate everything again. Raises StudyError once it has HITs."""
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.hits.exists():
            raise StudyError("The first wave is drawn: the sampling rule is fixed.")
        if StageSampling.objects.filter(stage=stage).delete()[0]:
            audit.record(by, REMOVED, stage, study=stage.study)


def sampling_of(stage: Stage) -> StageSampling | None:
    """The stage's sampling rule, if it has one."""
    return StageSampling.objects.filter(stage=stage).select_related("stage__study").first()


def sampling_of_study(study: Study) -> StageSampling | None:
    """The sampling rule of the study's full stage, if it has one."""
    rows = StageSampling.objects.filter(stage__study=study).select_related("stage__study")
    return rows.first()


def require_sampling(study: Study) -> StageSampling:
    """`sampling_of_study`. Raises StudyError where there is none."""
    sampling = sampling_of_study(study)
    if sampling is None:
        raise StudyError("The full stage rates every candidate: it has no sampling rule.")
    return sampling


def check_draws(sampling: StageSampling) -> None:
    """Raise StudyError where the rule does not have exactly the candidates to rate."""
    own = set(sampling.draws.values_list("candidate", flat=True))
    rated = sampling.stage.study.candidates.filter(use=Use.RATED)
    if not own or own != set(rated.values_list("pk", flat=True)):
        raise StudyError(CHANGED)


def _check(stage: Stage, wave_size: int) -> None:
    if stage.kind != Stage.Kind.FULL:
        raise StudyError("Only the full stage can draw what people rate.")
    if stage.hits.exists():
        raise StudyError("The stage has HITs: a sampling rule must be set before it is opened.")
    check_protocol(stage)
    if wave_size < MIN_WAVE:
        raise StudyError(f"A wave needs {MIN_WAVE} instances or more.")


def check_protocol(stage: Stage) -> None:
    """Raise StudyError where not all ratings of a wave would come from the stage."""
    protocol = stage.study.current.protocol
    if protocol.compares:
        raise StudyError("Comparisons of candidates cannot be drawn by a rule.")
    if protocol.trial is not None and protocol.trial_counts:
        raise StudyError(
            "The trial's ratings count, and no rule drew them. Say in the protocol that they do "
            "not count."
        )
    rows = stage.study.candidates.filter(use=Use.RATED).order_by()
    for split, spans in rows.values_list("instance__split", "instance__span_based").distinct():
        if not protocol.ratings_for(split, span_based=spans):
            raise StudyError(
                f"No rating rule of the protocol applies to {_kind_in_words(split, spans)}, so "
                "their wave would never be complete. Add a rule, or leave these candidates out."
            )


def _kind_in_words(split: str, spans: bool) -> str:
    kind = "candidates that are spans" if spans else "candidates"
    return f"{kind} of the split “{split}”" if split else f"{kind} without a split"


def _scores_of(rows: Sequence[StudyCandidate], scores: pd.DataFrame) -> NDArray[np.float64]:
    if not len(scores.columns):
        raise StudyError("The file has no scores.")
    for name in scores.columns:
        if (fault := text_fault(name, METRIC_CHARS)) is not None:
            raise StudyError(f"The name of the metric {quote(name)} {fault}.")
    values = scores.reindex([row.key for row in rows]).to_numpy(np.float64)
    missing = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(missing):
        raise StudyError(
            f"{len(missing):,} of {len(rows):,} candidates have no score, such as "
            f"“{rows[missing[0]].key}”. Score every candidate."
        )
    return np.asarray(values)


def _described(sampling: StageSampling) -> Mapping[str, object]:
    return {
        "rule": sampling.rule,
        "stopping": sampling.stopping,
        "wave size": sampling.wave_size,
        "metrics": sampling.metrics,
    }
