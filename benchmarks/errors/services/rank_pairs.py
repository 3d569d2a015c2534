"""Candidates of two systems that people rate far apart: which metrics put them in order?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.leaderboards import board_runs
from benchmarks.analyses.services import work
from benchmarks.analyses.services.values import about
from benchmarks.errors.documents import RankPairsRow, RankPairsTable
from benchmarks.errors.word_differences import Piece, word_differences
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import hidden
from concord.meta.inference import Sample, SampleError, rank_pairs

MOST_LISTED = 50


@dataclass(frozen=True)
class LostPair:
    """A pair that a metric does not put in people's order; texts as pieces, differences apart."""

    better: Candidate
    worse: Candidate
    score_better: float
    score_worse: float
    better_text: list[Piece]
    worse_text: list[Piece]


def table(judgment_set: JudgmentSet, threshold: float) -> RankPairsTable:
    """Each complete run's share of pairs in people's order, best first.

    Labels that are hidden from the set's viewer are not used. Raises SampleError as `rank_pairs`
    does.
    """
    runs, sample, _ = _sample(judgment_set)
    found = rank_pairs(sample, threshold)
    rows: list[RankPairsRow] = []
    for m, run in enumerate(runs):
        gaps = sample.scores[m][found.better] - sample.scores[m][found.worse]
        rows.append(
            {
                **about(run),
                "figure": found.figures[m].to_json(),
                "won": int(np.count_nonzero(gaps > 0)),
                "tied": int(np.count_nonzero(gaps == 0)),
                "lost": int(np.count_nonzero(gaps < 0)),
            }
        )
    rows.sort(key=lambda row: (row["figure"]["value"] is None, -(row["figure"]["value"] or 0.0)))
    return {"threshold": threshold, "n": len(found.better), "rows": rows}


def lost(judgment_set: JudgmentSet, run: MetricRun, threshold: float) -> list[LostPair]:
    """The pairs a metric loses or ties, the clearest first, at most MOST_LISTED."""
    runs, sample, positions = _sample(judgment_set)
    at = [one.pk for one in runs].index(run.pk)
    found = rank_pairs(sample, threshold)
    scores = sample.scores[at]
    gaps = scores[found.better] - scores[found.worse]
    order = np.argsort(gaps, kind="stable")
    order = order[gaps[order] <= 0][:MOST_LISTED]
    wanted = [int(positions[p]) for p in (*found.better[order], *found.worse[order])]
    rows = judgment_set.candidates.filter(position__in=wanted).with_instance()
    candidates = {candidate.position: candidate for candidate in rows}
    pairs = []
    for first, second in zip(found.better[order], found.worse[order], strict=True):
        better, worse = candidates[int(positions[first])], candidates[int(positions[second])]
        texts = word_differences(better.text, worse.text)
        pairs.append(LostPair(better, worse, float(scores[first]), float(scores[second]), *texts))
    return pairs


def _sample(
    judgment_set: JudgmentSet,
) -> tuple[list[MetricRun], Sample, NDArray[np.int64]]:
    """Complete runs, the sample of what the viewer may see, and its candidates' positions."""
    known = [run.pk for run in board_runs(judgment_set) if run.status == "complete"]
    if not known:
        raise SampleError("no metric has been scored yet")
    runs = work.loaded(judgment_set, known)
    shown = np.flatnonzero(
        samples.judged(judgment_set) & ~hidden.viewer_masks(judgment_set).candidates
    )
    sample = samples.sample_at(judgment_set, runs, shown)
    return runs, sample, shown
