"""A study's ledger: filters and exclusions, each a step that can be undone and done again.

No step deletes a rating or touches pay. Steps apply in the order of their numbers; one that was
undone stays in the book, inactive.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Q
from numpy.typing import NDArray

from annotation.quality.models import LedgerStep
from annotation.quality.services.collected import Collected, collected_for_gold, remembered
from annotation.rating.models import Participation
from annotation.rating.services import participation as participations
from annotation.studies.models import Study
from concord.filtering import (
    DropRating,
    ExcludeWorker,
    Ledger,
    LedgerError,
    MinimumSeconds,
    Null,
    Replay,
    Step,
    StepOutcome,
    ZScore,
    gain_sentence,
    replay,
    shuffled_null,
    zscore_filter,
)
from concord.protocols import QualityRules
from concord.reliability import Alpha, Interval, Level, RatingsError, alpha_interval
from concord.sentences import to_sentence
from core import audit

DRAWS, FEWEST_DRAWS = 200, 20
# Shuffles of this many ratings in all take about two seconds.
SHUFFLED_RATINGS = 2_000_000
REASON_CHARS = 1_000


class LedgerRefusedError(ValueError):
    """A step that makes no sense for these ratings, or is not there; the message says why."""


@dataclass(frozen=True)
class LedgerLine:
    """A step of the book: what it is and, where it is active, what it did."""

    row: LedgerStep
    step: Step
    outcome: StepOutcome | None


@dataclass(frozen=True, eq=False)
class LedgerReport:
    """The whole ledger replayed.

    kept: mask over the ratings it was given. before, after: alpha with their intervals. null:
    alpha after the same ledger on shuffled ratings; None without an active step. sentence: what
    of the gain is real.
    """

    lines: list[LedgerLine]
    kept: NDArray[np.bool_]
    before: Alpha
    after: Alpha
    before_interval: Interval
    after_interval: Interval
    null: Null | None
    sentence: str

    @property
    def removed(self) -> int:
        return int(np.count_nonzero(~self.kept))

    @property
    def is_active(self) -> bool:
        return any(line.outcome for line in self.lines)


def lock_ledger(study: Study) -> None:
    """Have the ledger's changes wait for each other, and for erasures: a step names its worker,
    and an erasure changes the name. Before any lock on a participation."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def ledger_state(study: Study) -> Hashable:
    """What changes when the ratings of a worker who has rated become usable or unusable: the
    ledger's steps, and who withdrew or was erased. Two queries."""
    steps = study.ledger_steps.order_by("pk").values_list("pk", "active", "content")
    gone = study.participations.filter(
        Q(withdrawn_at__isnull=False) | Q(worker__erased_at__isnull=False)
    )
    left = gone.order_by("pk").values_list("pk", "withdrawn_at", "worker__erased_at")
    return repr((list(steps), list(left)))


def steps_of(study: Study) -> list[LedgerStep]:
    """The study's steps, active and undone, in order; one query."""
    return list(study.ledger_steps.select_related("made_by").order_by("number"))


def step_in(row: LedgerStep) -> Step:
    """The step that a row holds."""
    return Ledger.from_json([row.content]).steps[0]


def ledger_of(steps: Iterable[LedgerStep]) -> Ledger:
    """The active steps, as the quality room takes them."""
    return Ledger.from_json([row.content for row in steps if row.active])


def ledger_report(study: Study, found: Collected, level: Level = "ordinal") -> LedgerReport:
    """Replay the study's ledger on these ratings, and on shuffles of them."""
    rows = steps_of(study)
    ledger = ledger_of(rows)
    key = ("ledger", level, found.digest, repr(ledger))
    replayed, intervals, null = remembered(
        study, key, lambda: _replayed(study, ledger, found, level)
    )
    outcomes = iter(replayed.outcomes)
    lines = [LedgerLine(row, step_in(row), next(outcomes) if row.active else None) for row in rows]
    return LedgerReport(
        lines=lines,
        kept=replayed.kept,
        before=replayed.before,
        after=replayed.after,
        before_interval=intervals[0],
        after_interval=intervals[1],
        null=null,
        sentence="" if null is None else gain_sentence(replayed.before, replayed.after, null),
    )


def _replayed(
    study: Study, ledger: Ledger, found: Collected, level: Level
) -> tuple[Replay, tuple[Interval, Interval], Null | None]:
    seed = study.seed % 2**32
    replayed = replay(ledger, found.ratings, level=level, seconds=found.seconds)
    before = alpha_interval(found.ratings, level, seed=seed)
    after = alpha_interval(found.ratings.keep(replayed.kept), level, seed=seed)
    null = None
    if ledger.steps and len(found):
        draws = max(FEWEST_DRAWS, min(DRAWS, SHUFFLED_RATINGS // max(1, len(found))))
        rng = np.random.default_rng([seed, 1])
        null = shuffled_null(found.ratings, ledger, rng, draws, level=level, seconds=found.seconds)
    return replayed, (before, after), null


def zscore_step(rules: QualityRules) -> ZScore:
    """The protocol's z-score filter as a step."""
    return ZScore(rules.zscore_threshold, max(1, rules.at_most_removed))


def offered_steps(study: Study) -> list[Step]:
    """The protocol's filters that the ledger lacks."""
    rules = study.current.protocol.quality
    offered: list[Step] = []
    if rules.fewest_seconds_a_rating > 0:
        offered.append(MinimumSeconds(rules.fewest_seconds_a_rating))
    if rules.zscore_threshold > 0:
        offered.append(zscore_step(rules))
    present = [step_in(row) for row in steps_of(study) if row.active]
    return [step for step in offered if step not in present]


def add_step(study: Study, step: Step, *, note: str = "", by: User, at: datetime) -> LedgerStep:
    """Append a step to the ledger.

    Raises LedgerRefusedError for a z-score threshold that could remove nothing anywhere, for a
    rating to drop that does not exist, and for a step that stands there already.
    """
    with transaction.atomic():
        lock_ledger(study)
        rows = steps_of(study)
        if any(row.active and step_in(row) == step for row in rows):
            raise LedgerRefusedError("That step is in the ledger already.")
        if isinstance(step, ZScore | DropRating):
            _check(study, step, ledger_of(rows))
        last = study.ledger_steps.aggregate(last=Max("number"))["last"] or 0
        made = LedgerStep.objects.create(
            study=study,
            number=last + 1,
            content=Ledger((step,)).to_json()[0],
            note=note.strip()[:REASON_CHARS],
            made_by=by,
            made_at=at,
        )
        about = {**made.content, "note": made.note}
        audit.record(by, "ledger.step added", made, after=about, study=study)
        return made


def undo_step(row: LedgerStep, *, at: datetime) -> None:
    """Make a step inactive. Undoing a worker's exclusion readmits the worker."""
    _switch(row, active=False, at=at)


def redo_step(row: LedgerStep, *, at: datetime) -> None:
    """Make a step active again, in its old place. An exclusion excludes again."""
    _switch(row, active=True, at=at)


def exclude_worker(
    participation: Participation, reason: str, *, by: User, at: datetime
) -> LedgerStep:
    """Give a worker no more HITs and leave their ratings out of the gold score; pay is untouched.

    Raises LedgerRefusedError without a reason.
    """
    reason = reason.strip()
    if not reason:
        raise LedgerRefusedError("Give a reason: the worker may ask for it.")
    with transaction.atomic():
        lock_ledger(participation.study)
        participation.worker.refresh_from_db(fields=["name"])
        step = ExcludeWorker(participation.worker.name, reason[:REASON_CHARS])
        present = _exclusions(participation, active=True)
        if present:
            return present[0]
        participations.exclude(participation, reason[:REASON_CHARS], at=at)
        return add_step(participation.study, step, by=by, at=at)


def readmit_worker(participation: Participation, *, at: datetime) -> None:
    """Undo every exclusion of a worker: HITs again, and their ratings count."""
    with transaction.atomic():
        lock_ledger(participation.study)
        participation.worker.refresh_from_db(fields=["name"])
        for row in _exclusions(participation, active=True):
            undo_step(row, at=at)
        participations.readmit(participation)


def drop_rating(
    study: Study, candidate: str, worker: str, reason: str, *, by: User, at: datetime
) -> LedgerStep:
    """Leave one worker's rating of one candidate, by its key, out of the gold score."""
    return add_step(study, DropRating(candidate, worker, reason.strip()), by=by, at=at)


def _switch(row: LedgerStep, *, active: bool, at: datetime) -> None:
    with transaction.atomic():
        lock_ledger(row.study)
        current = LedgerStep.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if current.active == active:
            return
        current.active, current.undone_at = active, None if active else at
        current.save(update_fields=["active", "undone_at"])
        done = "ledger.step done again" if active else "ledger.step undone"
        audit.record(
            None, done, current, {"active": not active}, {"active": active}, study=current.study
        )
        step = step_in(current)
        if isinstance(step, ExcludeWorker):
            taking_part = Participation.objects.filter(
                study=current.study_id, worker__name=step.worker
            ).first()
            if taking_part is None:
                return
            if active:
                participations.exclude(taking_part, step.reason, at=at)
            elif not _exclusions(taking_part, active=True):
                participations.readmit(taking_part)


def _exclusions(participation: Participation, *, active: bool) -> list[LedgerStep]:
    rows = LedgerStep.objects.filter(
        study=participation.study_id,
        active=active,
        content__kind=ExcludeWorker.kind,
        content__worker=participation.worker.name,
    )
    return list(rows.order_by("number"))


def _check(study: Study, step: ZScore | DropRating, ledger: Ledger) -> None:
    found = collected_for_gold(study)
    if isinstance(step, DropRating):
        names = {
            (found.ratings.unit_names[unit], found.ratings.rater_names[rater])
            for unit, rater in zip(
                found.ratings.units.tolist(), found.ratings.raters.tolist(), strict=True
            )
        }
        if (step.unit, step.worker) not in names:
            raise LedgerRefusedError(f"There is no kept rating of {step.unit} by {step.worker}.")
        return
    if not len(found):
        return
    try:
        kept = replay(ledger, found.ratings, seconds=found.seconds).kept
        zscore_filter(
            found.ratings.keep(kept), step.threshold, step.at_most, step.ddof, step.one_sided
        )
    except (RatingsError, LedgerError) as error:
        raise LedgerRefusedError(to_sentence(error)) from error
