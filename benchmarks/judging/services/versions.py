"""A new version of a judge beside the version before, on held-out candidates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.errors.models import DisagreementTag
from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.second_looks.services import reviewed_positions
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.documents.judge import VersionsRow
from concord.judges import SelectionError, compare_versions

DRAWS = 1000


def compare_with_previous(judge: ModelJudge, submission: Submission) -> VersionsRow | None:
    """The comparison of a judge's answers, now in `submission`, with the version before.

    Candidates of the second look at an earlier version, and those whose disagreement with people
    somebody tagged, were seen when the prompt was changed: every candidate of their passages is
    left out. Where there is no comparison, the row has the reason. None without a version before.
    """
    previous = judge.previous
    if previous is None:
        return None
    if judge.is_of_pairs or previous.is_of_pairs:
        return _without_figures("judges of pairs have no scores of candidates to compare")
    judgment_set = judge.judgment_set
    runs = MetricRun.objects.defer(None)
    old = runs.filter(submission=previous.submission_id, submission__isnull=False).first()
    new = runs.get(submission=submission)
    if old is None:
        return _without_figures(f"the scores of {previous.name} were withdrawn")
    seen = _seen(judgment_set, previous)
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
    except SelectionError as error:
        return _without_figures(str(error))
    return {
        "items": comparison.items,
        "passages": comparison.passages,
        "seen": int(np.count_nonzero(seen)),
        "old": comparison.old.to_json(),
        "new": comparison.new.to_json(),
        "difference": comparison.difference.to_json(),
        "error_difference": comparison.error_difference.to_json(),
        "verdict": comparison.verdict,
        "reason": "",
    }


def _seen(judgment_set: JudgmentSet, judge: ModelJudge) -> NDArray[np.bool_]:
    """Which candidates somebody has read beside people's scores and those of the judge or of an
    earlier version of it, shape (n_candidates,)."""
    seen = np.zeros(judgment_set.n_candidates, dtype=np.bool_)
    version: ModelJudge | None = judge
    while version is not None:
        runs = MetricRun.objects.filter(submission=version.submission_id, submission__isnull=False)
        for run in runs.filter(judgment_set=judgment_set):
            tags = DisagreementTag.objects.filter(run=run)
            tagged = tags.values_list("candidate__position", flat=True)
            seen[sorted(reviewed_positions(run) | set(tagged))] = True
        version = version.previous
    return seen


def _without_figures(reason: str) -> VersionsRow:
    return {
        "items": 0,
        "passages": 0,
        "seen": 0,
        "old": None,
        "new": None,
        "difference": None,
        "error_difference": None,
        "verdict": "",
        "reason": reason,
    }
