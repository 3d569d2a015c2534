"""Where a metric and people, or two metrics, disagree most; and the reasons people give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction
from numpy.typing import NDArray

from benchmarks.models import Candidate, DisagreementTag, JudgmentSet, MetricRun
from benchmarks.services import disagreements, samples
from benchmarks.word_differences import Piece, word_differences

Reason = DisagreementTag.Reason


class TagRefusedError(ValueError):
    """The tag cannot be kept; the message says why."""


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
    **labels: str,
) -> list[Conflict]:
    """The `count` candidates with the largest difference in rank, largest first.

    Against people (judged candidates whose labels the set's viewer may see) or, with `other`,
    against another metric (all candidates both scored). `direction` is "over" (ranked higher by
    the first), "under" or "both". `labels` restricts the candidates; ranks are those among them.
    """
    positions, one, two = _compared(run, other, labels)
    by_one, by_other = _shares_below(one), _shares_below(two)
    difference = by_one - by_other
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


def tag(
    candidate: Candidate,
    run: MetricRun,
    other: MetricRun | None,
    *,
    reason: str,
    note: str,
    user: Any,
    at: datetime,
) -> DisagreementTag:
    """Keep a reason; the same by the same person is kept once, with the last note.

    Raises TagRefusedError for an unknown reason, and for "something else" that is not said.
    """
    if reason not in Reason.values:
        raise TagRefusedError(f"There is no reason {reason!r}.")
    note = note.strip()
    if reason == Reason.OTHER and not note:
        raise TagRefusedError("Say what else it is.")
    if len(note) > 500:
        raise TagRefusedError(f"The note has {len(note)} characters; 500 fit.")
    with transaction.atomic():
        return DisagreementTag.objects.update_or_create(
            candidate=candidate,
            run=run,
            other=other,
            reason=reason,
            user=user,
            defaults={"note": note, "created_at": at},
        )[0]


def untag(pk: int, *, user: Any) -> bool:
    """Take back one's own tag; False where there is none of this person's."""
    return bool(DisagreementTag.objects.filter(pk=pk, user=user).delete()[0])


def tally(run: MetricRun, other: MetricRun | None) -> list[tuple[str, int, float]]:
    """Each reason given for these disagreements, how many candidates it was given for, and the
    share of the tagged candidates; most frequent first."""
    given = DisagreementTag.objects.filter(run=run, other=other).values_list("reason", "candidate")
    pairs = set(given)
    counted = Counter(reason for reason, _ in pairs)
    total = len({candidate for _, candidate in pairs})
    ranked = sorted(counted.items(), key=lambda one: (-one[1], Reason.values.index(one[0])))
    return [(Reason(reason).label, count, count / total) for reason, count in ranked]


def _compared(
    run: MetricRun, other: MetricRun | None, labels: dict[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    positions, gold, _ = disagreements.points(run, **labels)
    one = samples.turned(run)[positions]
    two = gold if other is None else samples.turned(other)[positions]
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


def _shares_below(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the others below each, equal ones counting half, (n,); 0 for a single value."""
    ordered = np.sort(values)
    below = np.searchsorted(ordered, values, side="left")
    equal = np.searchsorted(ordered, values, side="right") - below
    return np.asarray((below + 0.5 * (equal - 1)) / max(1, len(values) - 1))
