"""The reasons people give for disagreements: kept, taken back and counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from benchmarks.errors.models import DisagreementTag
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import Candidate, JudgmentSet

Reason = DisagreementTag.Reason
MOST_CHARACTERS = 500


class TagRefusedError(ValueError):
    """The tag cannot be kept; the message says why."""


@dataclass(frozen=True)
class Tally:
    """What was said of one metric against people or another metric.

    tagged: how many candidates. counts: by reason, in Reason's order, of how many of them it was
    said; a candidate may have several reasons.
    """

    run: MetricRun
    other: MetricRun | None
    tagged: int
    counts: list[int]

    @property
    def shares(self) -> list[tuple[int, float]]:
        """Each count with its share of the tagged candidates."""
        return [(count, count / self.tagged) for count in self.counts]


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
    if len(note) > MOST_CHARACTERS:
        raise TagRefusedError(f"The note has {len(note)} characters; {MOST_CHARACTERS} fit.")
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


def tallies(judgment_set: JudgmentSet) -> list[Tally]:
    """A tally for every two that were compared, of runs the set's viewer may see; most said first.

    The same reason given by two people for one candidate counts once.
    """
    runs = {run.pk: run for run in visible_runs(judgment_set).defer("statistics")}
    rows = DisagreementTag.objects.filter(candidate__judgment_set=judgment_set)
    said: dict[tuple[int, int | None], set[tuple[str, int]]] = {}
    for run, other, reason, candidate in rows.values_list("run", "other", "reason", "candidate"):
        if run in runs and (other is None or other in runs):
            said.setdefault((run, other), set()).add((reason, candidate))
    found = []
    for (one, against), pairs in said.items():
        counted = Counter(reason for reason, _ in pairs)
        found.append(
            Tally(
                runs[one],
                None if against is None else runs[against],
                len({candidate for _, candidate in pairs}),
                [counted[reason] for reason in Reason.values],
            )
        )
    found.sort(key=lambda one: (-one.tagged, one.run.pk, one.other.pk if one.other else 0))
    return found
