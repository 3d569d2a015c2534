"""Tags: the reasons people give for disagreements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.errors.models import DisagreementTag
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import Candidate, JudgmentSet

Reason = DisagreementTag.Reason
MAX_CHARACTERS = 500


class TagRefusedError(ValueError):
    """The tag cannot be stored; the message says why."""


@dataclass(frozen=True)
class ReasonCounts:
    """The reasons given for disagreements of a metric with people or another metric.

    tagged: the number of candidates with a reason. counts: the number of candidates by reason, in
    Reason's order; a candidate may have several reasons.
    """

    run: MetricRun
    other: MetricRun | None
    tagged: int
    counts: list[int]

    @property
    def shares(self) -> list[tuple[int, float]]:
        """Each count with its share of the tagged candidates."""
        return [(count, count / self.tagged) for count in self.counts]


def add_tag(
    candidate: Candidate,
    run: MetricRun,
    other: MetricRun | None,
    *,
    reason: str,
    note: str,
    user: User,
    at: datetime,
) -> DisagreementTag:
    """Store a reason; a person's second equal reason replaces the note of the first.

    Raises TagRefusedError for an unknown reason, a note that is too long, and "something else"
    without a note.
    """
    if reason not in Reason.values:
        raise TagRefusedError(f"Unknown reason {reason!r}.")
    note = note.strip()
    if reason == Reason.OTHER and not note:
        raise TagRefusedError("Write a note that says what else it is.")
    if len(note) > MAX_CHARACTERS:
        raise TagRefusedError(f"The note has {len(note)} characters, over {MAX_CHARACTERS}.")
    with transaction.atomic():
        return DisagreementTag.objects.update_or_create(
            candidate=candidate,
            run=run,
            other=other,
            reason=reason,
            user=user,
            defaults={"note": note, "created_at": at},
        )[0]


def delete_tag(pk: int, *, user: User) -> bool:
    """Delete the user's own tag; False if the user has no such tag."""
    return bool(DisagreementTag.objects.filter(pk=pk, user=user).delete()[0])


def tallies(judgment_set: JudgmentSet) -> list[ReasonCounts]:
    """The tallies of runs that the set's viewer may see, most tagged candidates first.

    The same reason from two people for one candidate counts once.
    """
    runs = {run.pk: run for run in visible_runs(judgment_set).defer("statistics")}
    rows = DisagreementTag.objects.filter(candidate__judgment_set=judgment_set)
    tagged: dict[tuple[int, int | None], set[tuple[str, int]]] = {}
    for run, other, reason, candidate in rows.values_list("run", "other", "reason", "candidate"):
        if run in runs and (other is None or other in runs):
            tagged.setdefault((run, other), set()).add((reason, candidate))
    tallies = []
    for (pk, other_pk), pairs in tagged.items():
        counted = Counter(reason for reason, _ in pairs)
        tallies.append(
            ReasonCounts(
                runs[pk],
                None if other_pk is None else runs[other_pk],
                len({candidate for _, candidate in pairs}),
                [counted[reason] for reason in Reason.values],
            )
        )
    tallies.sort(key=lambda one: (-one.tagged, one.run.pk, one.other.pk if one.other else 0))
    return tallies
