"""A study's ledger: filters and exclusions, as steps that can be undone and redone.

No step deletes a rating or affects pay. Steps apply in the order of their numbers. A step that was
undone is kept, inactive.
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

from annotation.quality.inputs import REASON
from annotation.quality.models import LedgerStep
from annotation.quality.services.rating_data import (
    CollectedRatings,
    Simulation,
    cached,
    collect_gold_ratings,
    collect_ratings,
)
from annotation.rating.models import Participation
from annotation.rating.services import participation as participations
from annotation.studies.models import Study
from concord.documents.agreement import RatingsAlpha, ShuffledAlpha
from concord.filtering import (
    DropRating,
    ExcludeWorker,
    Ledger,
    LedgerError,
    MinimumSeconds,
    Step,
    StepOutcome,
    WorkerFilter,
    ZScoreFilter,
    filter_by_zscore,
    replay,
)
from concord.filtering.report import NULL_DRAWS, FilteredAgreement, filtered_agreement
from concord.protocols import QualityRules
from concord.reliability import Level, RatingsError
from concord.sentences import to_sentence
from core import audit
from core.refusals import RefusedError

MIN_SHUFFLES = 20
# Shuffles of this many ratings in all take about two seconds.
SHUFFLED_RATINGS = 2_000_000


@dataclass(frozen=True)
class LedgerLine:
    """A step with its outcome, if it is active."""

    row: LedgerStep
    step: Step
    outcome: StepOutcome | None


@dataclass(frozen=True, eq=False)
class LedgerReport:
    """The effect of the whole ledger.

    kept: mask over the ratings. before, after, null, sentence: as in `FilteredAgreement`.
    """

    lines: list[LedgerLine]
    kept: NDArray[np.bool_]
    before: RatingsAlpha
    after: RatingsAlpha
    null: ShuffledAlpha | None
    sentence: str

    @property
    def removed(self) -> int:
        return int(np.count_nonzero(~self.kept))

    @property
    def is_active(self) -> bool:
        return any(line.outcome for line in self.lines)


def lock_ledger(study: Study) -> None:
    """Serialise changes of the ledger with each other and with erasures.

    A step contains its worker's name, and an erasure changes the name. Lock the ledger before a
    participation.
    """
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


def parse_step(row: LedgerStep) -> Step:
    """The step in a row."""
    return Ledger.from_json([row.content]).steps[0]


def ledger_of(steps: Iterable[LedgerStep]) -> Ledger:
    """The active steps as a ledger of concord.filtering."""
    return Ledger.from_json([row.content for row in steps if row.active])


def ledger_report(study: Study, data: CollectedRatings, level: Level = "ordinal") -> LedgerReport:
    """Apply the study's ledger to these ratings, and to shuffles of them."""
    rows = steps_of(study)
    ledger = ledger_of(rows)
    shuffles = max(MIN_SHUFFLES, min(NULL_DRAWS, SHUFFLED_RATINGS // max(1, len(data))))

    def compute() -> FilteredAgreement:
        return filtered_agreement(
            data.ratings,
            ledger,
            level=level,
            seconds=data.seconds,
            seed=study.seed % 2**32,
            shuffles=shuffles,
        )

    result = cached(study, ("filtered agreement", level, data.digest, repr(ledger)), compute)
    outcomes = iter(result.replayed.outcomes)
    lines = [
        LedgerLine(row, parse_step(row), next(outcomes) if row.active else None) for row in rows
    ]
    kept = result.replayed.kept
    return LedgerReport(lines, kept, result.before, result.after, result.null, result.sentence)


def removed_ratings(study: Study) -> dict[int, int]:
    """By rating that the ledger removes, the number of the step. Cached.

    Ratings of stages that do not count for the gold score are not among them. Raises LedgerError.
    """

    def compute() -> dict[int, int]:
        active = [row for row in steps_of(study) if row.active]
        if not active:
            return {}
        data = collect_gold_ratings(study)
        result = replay(ledger_of(active), data.ratings, seconds=data.seconds)
        removed = np.flatnonzero(~result.kept)
        return {
            int(data.pks[at]): active[int(result.removed_by[at])].number for at in removed.tolist()
        }

    return cached(study, ("removed ratings", ledger_state(study)), compute)


def kept_simulation(study: Study, stages: Iterable[str] | None = None) -> Simulation:
    """How many of the ratings that the ledger keeps are simulated, of these stages."""
    data = collect_ratings(study, stages)
    is_simulated = data.simulated[ledger_report(study, data).kept]
    return Simulation(int(is_simulated.sum()), int((~is_simulated).sum()))


def zscore_step(rules: QualityRules) -> ZScoreFilter:
    """The protocol's z-score filter as a step."""
    return ZScoreFilter(rules.zscore_threshold, max(1, rules.max_removed))


def suggested_steps(study: Study) -> list[Step]:
    """The protocol's filters that are not in the ledger."""
    rules = study.current.protocol.quality
    steps: list[Step] = []
    if rules.min_seconds_per_rating > 0:
        steps.append(MinimumSeconds(rules.min_seconds_per_rating))
    if rules.zscore_threshold > 0:
        steps.append(zscore_step(rules))
    active = [parse_step(row) for row in steps_of(study) if row.active]
    return [step for step in steps if step not in active]


def add_step(study: Study, step: Step, *, note: str = "", by: User, at: datetime) -> LedgerStep:
    """Append a step to the ledger.

    Raises RefusedError for a z-score threshold that cannot remove any rating, for a z-score
    of choices between candidates, for a rating that does not exist, and for a step that is already
    in the ledger.
    """
    if study.current.protocol.compares and isinstance(step, ZScoreFilter | WorkerFilter):
        raise RefusedError(
            "Choices between candidates have no z-scores. The table of workers shows how often "
            "each chose as the others did.",
            "step-refused",
        )
    with transaction.atomic():
        lock_ledger(study)
        rows = steps_of(study)
        if any(row.active and parse_step(row) == step for row in rows):
            raise RefusedError("This step is already in the ledger.", "step-refused")
        if isinstance(step, ZScoreFilter | DropRating):
            _check(study, step, ledger_of(rows))
        last = study.ledger_steps.aggregate(last=Max("number"))["last"] or 0
        new_row = LedgerStep.objects.create(
            study=study,
            number=last + 1,
            content=Ledger((step,)).to_json()[0],
            note=note.strip()[: REASON.max_chars],
            made_by=by,
            made_at=at,
        )
        about = new_row.content_without_texts
        audit.record(by, "ledger.step added", new_row, after=about, study=study)
        return new_row


def undo_step(row: LedgerStep, *, at: datetime) -> None:
    """Make a step inactive. Undoing a worker's exclusion readmits the worker."""
    _switch(row, active=False, at=at)


def redo_step(row: LedgerStep, *, at: datetime) -> None:
    """Make a step active again, at its old position. Redoing an exclusion excludes the worker
    again."""
    _switch(row, active=True, at=at)


def exclude_worker(
    participation: Participation, reason: str, *, by: User, at: datetime
) -> LedgerStep:
    """Assign a worker no more HITs and exclude their ratings from the gold score.

    Pay is not affected. Raises RefusedError without a reason.
    """
    reason = reason.strip()
    if not reason:
        raise RefusedError("Enter a reason: the worker reads it.", "step-refused")
    with transaction.atomic():
        lock_ledger(participation.study)
        participation.worker.refresh_from_db(fields=["name"])
        step = ExcludeWorker(participation.worker.name, reason[: REASON.max_chars])
        exclusions = _exclusions(participation, active=True)
        if exclusions:
            return exclusions[0]
        participations.exclude(participation, reason[: REASON.max_chars], at=at)
        return add_step(participation.study, step, by=by, at=at)


def exclude_simulated_workers(study: Study, *, by: User, at: datetime) -> int:
    """Exclude every simulated worker of the study; returns how many were not excluded before."""
    simulated = study.participations.filter(worker__simulated=True, excluded_at=None)
    workers = list(simulated.select_related("study", "worker").order_by("pk"))
    with transaction.atomic():
        for participant in workers:
            exclude_worker(participant, "A simulated rater.", by=by, at=at)
    return len(workers)


def readmit_worker(participation: Participation, *, at: datetime) -> None:
    """Undo every exclusion of a worker: they get HITs again, and their ratings count."""
    with transaction.atomic():
        lock_ledger(participation.study)
        participation.worker.refresh_from_db(fields=["name"])
        for row in _exclusions(participation, active=True):
            undo_step(row, at=at)
        participations.readmit(participation)


def drop_rating(
    study: Study, candidate: str, worker: str, reason: str, *, by: User, at: datetime
) -> LedgerStep:
    """Exclude one worker's rating of one candidate, by its key, from the gold score."""
    return add_step(study, DropRating(candidate, worker, reason.strip()), by=by, at=at)


def _switch(row: LedgerStep, *, active: bool, at: datetime) -> None:
    with transaction.atomic():
        lock_ledger(row.study)
        current = LedgerStep.objects.select_for_update(of=("self",)).get(pk=row.pk)
        if current.active == active:
            return
        current.active, current.undone_at = active, None if active else at
        current.save(update_fields=["active", "undone_at"])
        action = "ledger.step done again" if active else "ledger.step undone"
        audit.record(
            None, action, current, {"active": not active}, {"active": active}, study=current.study
        )
        step = parse_step(current)
        if isinstance(step, ExcludeWorker):
            participant = Participation.objects.filter(
                study=current.study_id, worker__name=step.worker
            ).first()
            if participant is None:
                return
            if active:
                participations.exclude(participant, step.reason, at=at)
            elif not _exclusions(participant, active=True):
                participations.readmit(participant)


def _exclusions(participation: Participation, *, active: bool) -> list[LedgerStep]:
    rows = LedgerStep.objects.filter(
        study=participation.study_id,
        active=active,
        content__kind=ExcludeWorker.kind,
        content__worker=participation.worker.name,
    )
    return list(rows.order_by("number"))


def _check(study: Study, step: ZScoreFilter | DropRating, ledger: Ledger) -> None:
    data = collect_gold_ratings(study)
    if isinstance(step, DropRating):
        names = {
            (data.ratings.unit_names[unit], data.ratings.rater_names[rater])
            for unit, rater in zip(
                data.ratings.units.tolist(), data.ratings.raters.tolist(), strict=True
            )
        }
        if (step.unit, step.worker) not in names:
            raise RefusedError(
                f"There is no rating of {step.unit} by {step.worker}.", "step-refused"
            )
        return
    if not len(data):
        return
    try:
        is_kept = replay(ledger, data.ratings, seconds=data.seconds).kept
        filter_by_zscore(
            data.ratings.keep(is_kept), step.threshold, step.at_most, step.ddof, step.one_sided
        )
    except (RatingsError, LedgerError) as error:
        raise RefusedError(to_sentence(error), "step-refused") from error
