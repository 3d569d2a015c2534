"""A new version of a judge beside the version before, on held-out candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services.drafts import TRAIN
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.inference import Estimate
from concord.judges import compare_versions
from concord.reliability import RatingsError

DRAWS = 1000


@dataclass(frozen=True, kw_only=True)
class ComparedVersions:
    """Two versions of a judge on held-out candidates: see `concord.judges.VersionComparison`. seen:
    candidates that were seen when the prompt was changed. reason: why there are no figures."""

    items: int = 0
    passages: int = 0
    seen: int = 0
    old: Estimate | None = None
    new: Estimate | None = None
    difference: Estimate | None = None
    error_difference: Estimate | None = None
    verdict: str = ""
    reason: str = ""


def compare_with_previous(judge: ModelJudge, submission: Submission) -> ComparedVersions | None:
    """The comparison of a judge's answers, now in `submission`, with the version before.

    Candidates that `seen_candidates` names were seen when the prompt was changed: every candidate
    of their passages is left out. Where there is no comparison, the row has the reason. None
    without a version before.
    """
    previous = judge.previous
    if previous is None:
        return None
    if judge.is_of_pairs or previous.is_of_pairs:
        return ComparedVersions(reason="judges of pairs have no scores of candidates to compare")
    judgment_set = judge.judgment_set
    runs = MetricRun.objects.defer(None)
    old = runs.filter(submission=previous.submission_id, submission__isnull=False).first()
    new = runs.get(submission=submission)
    if old is None:
        return ComparedVersions(reason=f"the scores of {previous.name} were withdrawn")
    seen = seen_candidates(judge)
    frame = frames.frame(judgment_set)
    judged = np.flatnonzero(frame.judged)
    try:
        comparison = compare_versions(
            old.score_array[judged],
            new.score_array[judged],
            frame.gold[judged],
            frame.clusters[judged],
            seen=seen[judged],
            rng=np.random.default_rng(judge.pk),
            draws=DRAWS,
        )
    except RatingsError as error:
        return ComparedVersions(reason=str(error))
    return ComparedVersions(**vars(comparison), seen=int(np.count_nonzero(seen)))


def seen_candidates(judge: ModelJudge) -> NDArray[np.bool_]:
    """Which candidates somebody has read beside people's scores and those of the judge or of an
    earlier version of it, shape (n_candidates,): the train part where a version was made of it."""
    judgment_set = judge.judgment_set
    seen = np.zeros(judgment_set.n_candidates, dtype=np.bool_)
    version: ModelJudge | None = judge
    while version is not None:
        if version.aligned:
            seen |= train_part(judgment_set)
        version = version.previous
    return seen


def train_part(judgment_set: JudgmentSet) -> NDArray[np.bool_]:
    """The candidates that may be read to change a prompt, shape (n_candidates,): the passages that
    are in the train split only, else half of the passages, drawn once. None with hidden labels."""
    frame = frames.frame(judgment_set)
    in_train = frame.labels["split"] == TRAIN
    if not in_train.any() or in_train.all():
        passages = np.unique(frame.clusters)
        half = np.random.default_rng(0).permutation(passages)[: len(passages) // 2]
        in_train = np.isin(frame.clusters, half)
    held_out = ~in_train | hidden.public_masks(judgment_set).candidates
    return ~np.isin(frame.clusters, frame.clusters[held_out])
