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
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.formats.errors import quote
from concord.formats.fields import text_fault
from concord.sampling import MIN_WAVE, SamplingRule, StoppingRule
from core import audit
from core.refusals import RefusedError

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

    scores: one column a metric, with the keys of candidates as index. Raises RefusedError where the
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
            raise RefusedError(
                "There is nothing to draw from: upload candidates first.", "study-refused"
            )
        if any(row.pair for row in rows):
            raise RefusedError(
                "Minimal pairs are rated together and cannot be drawn.", "study-refused"
            )
        values = _scores_of(rows, scores)
        unknown = set(rule.systems) - {row.system for row in rows}
        if unknown:
            raise RefusedError(f"There is no system “{min(unknown)}”.", "study-refused")
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
    """Have the stage rate everything again. Raises RefusedError once it has HITs."""
    with transaction.atomic():
        stage = Stage.objects.select_for_update().select_related("study").get(pk=stage.pk)
        if stage.hits.exists():
            raise RefusedError(
                "The first wave is drawn: the sampling rule is fixed.", "study-refused"
            )
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
    """`sampling_of_study`. Raises RefusedError where there is none."""
    sampling = sampling_of_study(study)
    if sampling is None:
        raise RefusedError(
            "The full stage rates every candidate: it has no sampling rule.", "study-refused"
        )
    return sampling


def check_draws(sampling: StageSampling) -> None:
    """Raise RefusedError where the rule does not have exactly the candidates to rate."""
    own = set(sampling.draws.values_list("candidate", flat=True))
    rated = sampling.stage.study.candidates.filter(use=Use.RATED)
    if not own or own != set(rated.values_list("pk", flat=True)):
        raise RefusedError(CHANGED, "study-refused")


def _check(stage: Stage, wave_size: int) -> None:
    if stage.kind != Stage.Kind.FULL:
        raise RefusedError("Only the full stage can draw what people rate.", "study-refused")
    if stage.hits.exists():
        raise RefusedError(
            "The stage has HITs: a sampling rule must be set before it is opened.", "study-refused"
        )
    check_protocol(stage)
    if wave_size < MIN_WAVE:
        raise RefusedError(f"A wave needs {MIN_WAVE} instances or more.", "study-refused")


def check_protocol(stage: Stage) -> None:
    """Raise RefusedError where not all ratings of a wave would come from the stage."""
    protocol = stage.study.current.protocol
    if protocol.compares:
        raise RefusedError("Comparisons of candidates cannot be drawn by a rule.", "study-refused")
    if protocol.trial is not None and protocol.trial_counts:
        raise RefusedError(
            "The trial's ratings count, and no rule drew them. Say in the protocol that they do "
            "not count.",
            "study-refused",
        )
    rows = stage.study.candidates.filter(use=Use.RATED).order_by()
    for split, spans in rows.values_list("instance__split", "instance__span_based").distinct():
        if not protocol.ratings_for(split, span_based=spans):
            raise RefusedError(
                f"No rating rule of the protocol applies to {_kind_in_words(split, spans)}, so "
                "their wave would never be complete. Add a rule, or leave these candidates out.",
                "study-refused",
            )


def _kind_in_words(split: str, spans: bool) -> str:
    kind = "candidates that are spans" if spans else "candidates"
    return f"{kind} of the split “{split}”" if split else f"{kind} without a split"


def _scores_of(rows: Sequence[StudyCandidate], scores: pd.DataFrame) -> NDArray[np.float64]:
    if not len(scores.columns):
        raise RefusedError("The file has no scores.", "study-refused")
    for name in scores.columns:
        if (fault := text_fault(name, METRIC_CHARS)) is not None:
            raise RefusedError(f"The name of the metric {quote(name)} {fault}.", "study-refused")
    values = scores.reindex([row.key for row in rows]).to_numpy(np.float64)
    missing = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(missing):
        raise RefusedError(
            f"{len(missing):,} of {len(rows):,} candidates have no score, such as "
            f"“{rows[missing[0]].key}”. Score every candidate.",
            "study-refused",
        )
    return np.asarray(values)


def _described(sampling: StageSampling) -> Mapping[str, object]:
    return {
        "rule": sampling.rule,
        "stopping": sampling.stopping,
        "wave size": sampling.wave_size,
        "metrics": sampling.metrics,
    }
