"""Drift of a judge: the same candidates judged again on a schedule, within a budget.

A look is a `ModelJudge` of the schedule: it is asked, leased and charged as every judge. It gets no
submission but a `DriftReport`. Callers send the tasks of the looks that `start_look` starts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction

from benchmarks.analyses.samples import people_scale
from benchmarks.judging.models import DriftSchedule, ModelJudge
from benchmarks.judging.services.asking import PURPOSE
from benchmarks.judging.services.drafts import MAX_COST, JudgingRefusedError, NotOwnerError
from benchmarks.judging.services.finishing import answer_scores
from benchmarks.judging.services.questions import all_questions, count_tokens
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, frames
from benchmarks.sets.services.announcing import emit_set_event
from concord.bounds import choice, number, text
from concord.documents.drift import DriftReport, DriftRow
from concord.inference import MIN_CLUSTERS
from concord.judges import Rejudged, drift_report, judge_labels
from concord.judges.chat.client import key_fault
from concord.sentences import counted
from core import audit
from core.accounts.roles import Role
from core.security import sealing

COPIED = (
    *("judgment_set", "owner", "name", "endpoint", "model", "template_name", "template"),
    *("examples", "judged", "shots", "train_split", "seed", "low", "high", "temperature"),
    *("max_completion", "logprobs", "json_schema", "repeats", "threads"),
    *("prompt_price", "completion_price"),
)
FOUND = "agreement fell"


@dataclass(frozen=True)
class DriftPlan:
    """How often a judge is asked again, about how many candidates, and what it may use in all."""

    max_tokens: int = field(
        metadata=number(
            1, 10**12, label="Budget in tokens", help="Of all looks together. Never exceeded."
        )
    )
    key: str = field(
        default="",
        metadata=text(
            500,
            help="Stored encrypted until the looks end, and shown to nobody.",
        ),
    )
    every: str = field(
        default=DriftSchedule.Every.DAY,
        metadata=choice(
            {one.value: one.label for one in DriftSchedule.Every}, label="A look every"
        ),
    )
    looks: int = field(
        default=30,
        metadata=number(
            1,
            1000,
            help="At most. The 5% of false alarms are of all of them together: more looks see only "
            "larger falls.",
        ),
    )
    candidates: int = field(
        default=100,
        metadata=number(
            1,
            100_000,
            help="Drawn once, whole passages. Each look asks about the same ones.",
        ),
    )
    max_cost: float | None = field(default=None, metadata=MAX_COST)


def start(judge: ModelJudge, plan: DriftPlan, *, by: User, at: datetime) -> DriftSchedule:
    """Plan looks at a complete judge; the first one is due now. Raises JudgingRefusedError."""
    if judge.owner_id != by.pk:
        raise NotOwnerError(f"Only {judge.owner} may plan looks: the budget is theirs.")
    if judge.status != ModelJudge.Status.COMPLETE or judge.is_of_pairs:
        raise JudgingRefusedError("Looks need a complete judge of candidates, not of pairs.")
    if judge.schedules.filter(ended_at=None).exists():
        raise JudgingRefusedError(f"There are looks at {judge.name} already: stop them first.")
    if fault := key_fault(plan.key):
        raise JudgingRefusedError(f"The key {fault}.", "key")
    if plan.max_cost is not None and not (judge.prompt_price or judge.completion_price):
        raise JudgingRefusedError(f"{judge.name} has no prices for a budget in money.", "max_cost")
    schedule = DriftSchedule(
        judge=judge,
        every=plan.every,
        n_looks=plan.looks,
        positions=_draw_positions(judge, plan.candidates),
        sealed_key=sealing.seal(plan.key, PURPOSE) if plan.key else "",
        max_tokens=plan.max_tokens,
        max_cost=plan.max_cost,
        created_at=at,
        next_at=at,
    )
    look = _look(schedule, at)
    schedule.look_prompt = look.most_prompt_tokens
    schedule.look_completion = look.n_requests * look.max_completion
    if reason := _lack_of_budget(schedule, (0, 0)):
        raise JudgingRefusedError(reason, "max_tokens" if "token" in reason else "max_cost")
    with transaction.atomic():
        schedule.save()
        _record(schedule, "judge.looks planned", by)
    return schedule


def stop(judge: ModelJudge, *, by: User, at: datetime) -> bool:
    """End the looks at a judge; the results are kept. False where there are none."""
    with transaction.atomic():
        schedule = judge.schedules.select_for_update().filter(ended_at=None).first()
        if schedule is None:
            return False
        for look in schedule.looks.filter(status__in=ModelJudge.ACTIVE):
            look.cancel(at=at)
        _end(schedule, "Stopped by hand.", at)
        _record(schedule, "judge.looks stopped", by)
    return True


def due(*, at: datetime) -> list[int]:
    """The primary keys of the schedules whose next look is due."""
    rows = DriftSchedule.objects.filter(ended_at=None, next_at__lte=at)
    return list(rows.values_list("pk", flat=True))


def finish_look(look: ModelJudge, *, at: datetime) -> bool:
    """Store the comparison of a look whose questions are answered, in a transaction of the caller.

    The webhooks of the owner get an event where agreement fell and had not at the look before.
    False: it was stopped, or is another worker's.
    """
    assert look.schedule is not None
    report = _compare(look.schedule, look)
    if not look.complete(at=at, drift=report):
        return False
    looks = look.schedule.looks.filter(drift__isnull=False).exclude(pk=look.pk)
    before = looks.values_list("drift", flat=True).first()
    if drift_row(report)["verdict"] == FOUND and not (
        before and drift_row(before)["verdict"] == FOUND
    ):
        _announce("drift.found", look.schedule, at, fall=drift_row(report)["fall"])
    return True


def end_if_over(schedule: DriftSchedule, *, at: datetime) -> bool:
    """End a schedule without a further look. Returns whether it has ended."""
    n_looks = schedule.looks.count()
    if n_looks >= schedule.n_looks:
        reason = (
            f"All of the {counted(n_looks, 'planned look')} are done. Judge the set again for a "
            "new base, then plan new looks."
        )
    elif not (reason := _lack_of_rights(schedule)):
        reason = _lack_of_budget(schedule, schedule.spent)
    if not reason:
        return False
    with transaction.atomic():
        _end(schedule, reason, at)
    return True


def start_look(pk: int, *, at: datetime) -> ModelJudge | None:
    """Start the next look of a schedule that is due, and end one that has no further look; None
    while a look is active, or once it ended. It makes the prompts of all candidates."""
    with transaction.atomic():
        rows = DriftSchedule.objects.select_for_update(skip_locked=True, of=("self",))
        schedule = (
            rows.select_related("judge__judgment_set", "judge__owner")
            .filter(pk=pk, ended_at=None, next_at__lte=at)
            .first()
        )
        if schedule is None or schedule.looks.filter(status__in=ModelJudge.ACTIVE).exists():
            return None
        if end_if_over(schedule, at=at):
            return None
        look = _look(schedule, at)
        look.save()
        # At the same time of the day, also where looks were missed.
        schedule.next_at += ((at - schedule.next_at) // schedule.period + 1) * schedule.period
        schedule.save(update_fields=["next_at"])
    return look


def _look(schedule: DriftSchedule, at: datetime) -> ModelJudge:
    """The next look, not saved, with what is left of the budget."""
    judge = schedule.judge
    prompt, completion = schedule.spent if schedule.pk else (0, 0)
    look = ModelJudge(
        **{name: getattr(judge, name) for name in COPIED},
        schedule=schedule,
        max_tokens=schedule.max_tokens - prompt - completion,
        max_cost=_money_left(schedule, (prompt, completion)),
        created_at=at,
        sent_at=at,
        confirmed_at=at,
    )
    look.n_requests, look.most_prompt_tokens = count_tokens(look, all_questions(look))
    return look


def _money_left(schedule: DriftSchedule, spent: tuple[int, int]) -> float | None:
    if schedule.max_cost is None:
        return None
    return max(0.0, schedule.max_cost - schedule.judge.prices.cost(*spent))


def _draw_positions(judge: ModelJudge, count: int) -> list[int]:
    """`count` or a few more candidates that people and the judge judged, whole passages."""
    frame = frames.frame(judge.judgment_set)
    scores = answer_scores(judge, judge.answers.all())[: frame.n_candidates]
    usable = np.flatnonzero(frame.judged & np.isfinite(scores))
    clusters = frame.clusters[usable]
    order = np.random.default_rng(judge.pk).permutation(np.unique(clusters))
    drawn: list[int] = []
    for number_of_passages, passage in enumerate(order):
        if len(drawn) >= count and number_of_passages >= MIN_CLUSTERS:
            break
        drawn += usable[clusters == passage].tolist()
    if len(order) < MIN_CLUSTERS:
        raise JudgingRefusedError(
            f"People and {judge.name} both judged candidates of "
            f"{counted(len(order), 'passage')}; {MIN_CLUSTERS} or more are needed.",
            "candidates",
        )
    return sorted(drawn)


def _compare(schedule: DriftSchedule, look: ModelJudge) -> DriftReport:
    """The look beside the judge's first answers. Answers on another scale than people's become
    grades by a line that is fitted on the first answers about other passages."""
    judge = schedule.judge
    judgment_set: JudgmentSet = judge.judgment_set
    frame = frames.frame(judgment_set)
    rows = np.array(schedule.positions)
    gold, clusters = frame.gold[rows], frame.clusters[rows]
    base, now = (answer_scores(one, one.answers.all())[rows] for one in (judge, look))
    scale = people_scale(judgment_set)
    base, now = (judge_labels(base, gold, clusters, scale, of=one).values for one in (base, now))
    return drift_report(
        {judge.name: Rejudged(base, now)}, gold, clusters, graded=True, looks=schedule.n_looks
    )


def drift_row(report: DriftReport) -> DriftRow:
    """The row of the one judge of a look's report."""
    (row,) = report["judges"].values()
    return row


def _lack_of_budget(schedule: DriftSchedule, spent: tuple[int, int]) -> str:
    """Why the rest of the budget does not cover another look; "" where it does."""
    left = schedule.max_tokens - sum(spent)
    if left < schedule.look_tokens:
        return (
            f"The budget does not cover another look: it may use "
            f"{counted(schedule.look_tokens, 'token')}, and {left:,} are left."
        )
    money = _money_left(schedule, spent)
    cost = schedule.judge.prices.cost(schedule.look_prompt, schedule.look_completion)
    if money is not None and money < cost:
        return (
            f"The budget does not cover another look: it may cost {cost:.2f}, and {money:.2f} is "
            "left."
        )
    return ""


def _lack_of_rights(schedule: DriftSchedule) -> str:
    """Why the owner may not ask about the set any more; "" where they may."""
    owner = schedule.judge.owner
    try:
        access.set_for(owner, str(schedule.judge.judgment_set), Role.EDITOR)
    except (access.SetMissingError, access.SetRoleNeededError):
        return f"{owner} may not edit the set any more."
    return "" if owner.is_active else f"The account of {owner} is not active any more."


def _end(schedule: DriftSchedule, reason: str, at: datetime) -> None:
    """End a schedule once, and delete its key."""
    rows = DriftSchedule.objects.filter(pk=schedule.pk, ended_at=None)
    if rows.update(ended_at=at, reason=reason, sealed_key="", next_at=at):
        schedule.refresh_from_db()
        _announce("drift.ended", schedule, at, reason=reason)


def _announce(event: str, schedule: DriftSchedule, at: datetime, **more: object) -> None:
    """Emit an event to the webhooks of the judge's owner."""
    judge = schedule.judge
    data = {
        "judgment_set": str(judge.judgment_set),
        "model_judge": judge.pk,
        "name": judge.name,
        "looks": schedule.looks.count(),
        "path": judge.get_absolute_url(),
    }
    emit_set_event(
        event, judge.judgment_set, data | more, at=at, owner=judge.owner, is_private=True
    )


def _record(schedule: DriftSchedule, action: str, by: User) -> None:
    judge = schedule.judge
    details = {
        "judge": judge.name,
        "host": judge.host,
        "every": schedule.every,
        "looks": schedule.n_looks,
        "candidates": len(schedule.positions),
        "budget": schedule.max_tokens,
        "max_cost": schedule.max_cost,
        "spent": schedule.spent_tokens,
    }
    audit.record(by, action, judge, after=details, judgment_set=judge.judgment_set)
