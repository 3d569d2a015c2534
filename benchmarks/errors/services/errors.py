"""The candidates on which a metric and people, or two metrics, disagree most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.errors.services import disagreements
from benchmarks.errors.word_differences import WordPiece, word_differences
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.meta.breakdowns import question_type


@dataclass(frozen=True)
class Conflict:
    """A candidate on which two sides disagree.

    score, other: the metric's own score, and the other metric's or people's. by_one, by_other: the
    share of candidates below it by each side, in [0, 1]. reference, answer: the first reference and
    the candidate with differing words marked.
    """

    candidate: Candidate
    score: float
    other: float
    by_one: float
    by_other: float
    reference: list[WordPiece]
    answer: list[WordPiece]

    @property
    def difference(self) -> float:
        """Positive where the first metric ranks it higher."""
        return self.by_one - self.by_other


def conflicts(
    run: MetricRun,
    other: MetricRun | None,
    count: int,
    *,
    direction: str = "both",
    compare: str = "rank",
    **labels: str,
) -> list[Conflict]:
    """The `count` candidates with the largest difference, largest first.

    Without `other` the second side is people, on judged candidates; with `other`, all candidates
    that both metrics scored. Candidates whose labels are hidden from the set's viewer are left out.

    compare: "rank" compares the shares of candidates below it (KPQA, section 5.4); "score" compares
    scores, where higher is better (MOCHA, Tables 7 and 9), which needs one scale on both sides,
    such as 1 to 5 of LERC and of people. direction: "over" (the first side is higher), "under" or
    "both". labels: restrict the candidates before they are ranked.
    """
    positions, one, two = _paired_scores(run, other, labels)
    by_one, by_other = disagreements.shares_below(one), disagreements.shares_below(two)
    difference = {"rank": by_one - by_other, "score": one - two}[compare]
    size = {"over": difference, "under": -difference, "both": np.abs(difference)}[direction]
    order = np.argsort(-size, kind="stable")[:count]
    order = order[size[order] > 0]
    candidates = _candidates(run.judgment_set, positions[order].tolist())
    scores = run.score_array
    other_scores = None if other is None else other.score_array
    rows = []
    for candidate, i in zip(candidates, order.tolist(), strict=True):
        position = int(positions[i])
        references = candidate.instance.references
        reference, answer = word_differences(references[0] if references else "", candidate.text)
        rows.append(
            Conflict(
                candidate,
                float(scores[position]),
                float(two[i]) if other_scores is None else float(other_scores[position]),
                float(by_one[i]),
                float(by_other[i]),
                reference,
                answer,
            )
        )
    return rows


def question_types(conflicts: Iterable[Conflict]) -> list[tuple[str, int]]:
    """The number of candidates by the type of their question, most frequent first."""
    counted = Counter(
        question_type(one.candidate.instance.question, one.candidate.instance.category)
        for one in conflicts
    )
    return [(name, count) for name, count in counted.most_common() if name]


def _paired_scores(
    run: MetricRun, other: MetricRun | None, labels: dict[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Positions of the candidates that both sides scored, and the two sides' scores, each (n,)."""
    if other is None:
        positions, two, _ = disagreements.points(run, **labels)
    else:
        groupings = frames.frame(run.judgment_set).labels
        mask = ~hidden.viewer_masks(run.judgment_set).candidates
        for grouping, name in labels.items():
            mask = mask & (groupings[grouping] == name)
        positions = np.flatnonzero(mask).astype(np.int64)
        two = samples.oriented_scores(other)[positions]
    one = samples.oriented_scores(run)[positions]
    scored = np.isfinite(one) & np.isfinite(two)
    return positions[scored], one[scored], two[scored]


def _candidates(judgment_set: JudgmentSet, positions: list[int]) -> list[Candidate]:
    rows = judgment_set.candidates.filter(position__in=positions).with_instance()
    by_position = {candidate.position: candidate for candidate in rows}
    return [by_position[position] for position in positions]
