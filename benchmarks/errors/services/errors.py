"""Where a metric and people, or two metrics, disagree most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.errors.models import DisagreementTag
from benchmarks.errors.services import disagreements
from benchmarks.errors.word_differences import Piece, word_differences
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.meta.breakdowns import question_type


@dataclass(frozen=True)
class Conflict:
    """One candidate and the shares of candidates below it by each side, in [0, 1].

    score, other: the metric's own score, and the other metric's or people's. reference, answer:
    the first reference and the candidate as pieces, differing words apart. tags: what was said.
    """

    candidate: Candidate
    score: float
    other: float
    by_one: float
    by_other: float
    reference: list[Piece]
    answer: list[Piece]
    tags: list[DisagreementTag]

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

    `compare` "rank": of the shares of candidates below it by each side (KPQA, section 5.4);
    "score": of the scores as they are, turned so that higher is better (MOCHA, Tables 7 and 9),
    which says something where both sides have one scale, as LERC's and people's 1 to 5.

    Against people (judged candidates) or, with `other`, against another metric (judged or not, all
    that both scored); none whose labels are hidden from the set's viewer. `direction` is "over"
    (higher by the first), "under" or "both". `labels` restricts the candidates; ranks are
    those among them.
    """
    positions, one, two = _compared(run, other, labels)
    by_one, by_other = disagreements.shares_below(one), disagreements.shares_below(two)
    difference = {"rank": by_one - by_other, "score": one - two}[compare]
    size = {"over": difference, "under": -difference, "both": np.abs(difference)}[direction]
    order = np.argsort(-size, kind="stable")[:count]
    order = order[size[order] > 0]
    found = _candidates(run.judgment_set, positions[order].tolist())
    tags = _tags(run, other, [candidate.pk for candidate in found])
    own = run.score_array
    theirs = None if other is None else other.score_array
    rows = []
    for candidate, at in zip(found, order.tolist(), strict=True):
        place = int(positions[at])
        references = candidate.instance.references
        reference, answer = word_differences(references[0] if references else "", candidate.text)
        rows.append(
            Conflict(
                candidate,
                float(own[place]),
                float(two[at]) if theirs is None else float(theirs[place]),
                float(by_one[at]),
                float(by_other[at]),
                reference,
                answer,
                tags.get(candidate.pk, []),
            )
        )
    return rows


def question_types(found: Iterable[Conflict]) -> list[tuple[str, int]]:
    """How many of the candidates have a question of each type, most frequent first."""
    counted = Counter(
        question_type(one.candidate.instance.question, one.candidate.instance.category)
        for one in found
    )
    return [(name, count) for name, count in counted.most_common() if name]


def _compared(
    run: MetricRun, other: MetricRun | None, labels: dict[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    if other is None:
        positions, two, _ = disagreements.points(run, **labels)
    else:
        found = frames.frame(run.judgment_set).labels
        chosen = ~hidden.viewer_masks(run.judgment_set).candidates
        for grouping, name in labels.items():
            chosen = chosen & (found[grouping] == name)
        positions = np.flatnonzero(chosen).astype(np.int64)
        two = samples.turned(other)[positions]
    one = samples.turned(run)[positions]
    known = np.isfinite(one) & np.isfinite(two)
    return positions[known], one[known], two[known]


def _candidates(judgment_set: JudgmentSet, positions: list[int]) -> list[Candidate]:
    rows = judgment_set.candidates.filter(position__in=positions).with_instance()
    found = {candidate.position: candidate for candidate in rows}
    return [found[position] for position in positions]


def _tags(
    run: MetricRun, other: MetricRun | None, candidates: Iterable[int]
) -> dict[int, list[DisagreementTag]]:
    rows = DisagreementTag.objects.filter(run=run, other=other, candidate__in=list(candidates))
    found: dict[int, list[DisagreementTag]] = {}
    for row in rows.select_related("user"):
        found.setdefault(row.candidate_id, []).append(row)
    return found
