"""Pairs of candidates that people rate clearly differently, and metrics' orders of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.run_names import run_name
from benchmarks.analyses.services import work
from benchmarks.errors.word_differences import WordPiece, word_differences
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import hidden
from concord.documents.disagreements import RankPairsRow, RankPairsTable
from concord.meta.inference import SampleError, ScoredSample, rank_pairs

MAX_LISTED = 50


@dataclass(frozen=True)
class LostPair:
    """A pair that a metric does not order as people do; differing words of the texts are marked."""

    better: Candidate
    worse: Candidate
    score_better: float
    score_worse: float
    better_text: list[WordPiece]
    worse_text: list[WordPiece]


def table(judgment_set: JudgmentSet, threshold: float) -> RankPairsTable:
    """Each complete run's share of pairs that it orders as people do, best first.

    Candidates whose labels are hidden from the set's viewer are left out. Raises SampleError if no
    run is complete, and where `rank_pairs` does.
    """
    runs, sample, _ = _sample(judgment_set)
    ranked = rank_pairs(sample, threshold)
    rows: list[RankPairsRow] = []
    for m, run in enumerate(runs):
        gaps = sample.scores[m][ranked.better] - sample.scores[m][ranked.worse]
        rows.append(
            {
                **run_name(run),
                "figure": ranked.figures[m].to_json(),
                "won": int(np.count_nonzero(gaps > 0)),
                "tied": int(np.count_nonzero(gaps == 0)),
                "lost": int(np.count_nonzero(gaps < 0)),
            }
        )
    rows.sort(key=lambda row: (row["figure"]["value"] is None, -(row["figure"]["value"] or 0.0)))
    return {"threshold": threshold, "n": len(ranked.better), "rows": rows}


def lost(judgment_set: JudgmentSet, run: MetricRun, threshold: float) -> list[LostPair]:
    """The pairs that a metric orders wrongly or ties, clearest first, at most MAX_LISTED."""
    runs, sample, positions = _sample(judgment_set)
    index = [one.pk for one in runs].index(run.pk)
    ranked = rank_pairs(sample, threshold)
    scores = sample.scores[index]
    gaps = scores[ranked.better] - scores[ranked.worse]
    order = np.argsort(gaps, kind="stable")
    order = order[gaps[order] <= 0][:MAX_LISTED]
    listed = [int(positions[p]) for p in (*ranked.better[order], *ranked.worse[order])]
    rows = judgment_set.candidates.filter(position__in=listed).with_instance()
    candidates = {candidate.position: candidate for candidate in rows}
    pairs = []
    for first, second in zip(ranked.better[order], ranked.worse[order], strict=True):
        better, worse = candidates[int(positions[first])], candidates[int(positions[second])]
        texts = word_differences(better.text, worse.text)
        pairs.append(LostPair(better, worse, float(scores[first]), float(scores[second]), *texts))
    return pairs


def _sample(
    judgment_set: JudgmentSet,
) -> tuple[list[MetricRun], ScoredSample, NDArray[np.int64]]:
    """Complete runs, the sample that the viewer may see, and its candidates' positions."""
    pks = [run.pk for run in complete_board_runs(judgment_set)]
    if not pks:
        raise SampleError("no metric has been scored yet")
    runs = work.load_runs(judgment_set, pks)
    positions = np.flatnonzero(
        samples.judged(judgment_set) & ~hidden.viewer_masks(judgment_set).candidates
    )
    sample = samples.sample_at(judgment_set, runs, positions)
    return runs, sample, positions
