"""A worker's status in a study: what they can do now, and if nothing, why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet
from django.utils.translation import gettext

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.views.task_display import lazy_dollars
from annotation.studies.models import Stage
from concord.protocols import Protocol
from core.compiled_queries import CompiledQuery, Parameter

Status = Assignment.Status
Qualified = Participation.Qualified


class NextAction(StrEnum):
    """The next action of a worker, or the reason why there is none."""

    CONSENT = "consent"
    START = "start"
    CONTINUE = "continue"
    TAKE_TEST = "take test"
    RETRY_TEST = "retry test"
    WITHDRAWN = "withdrawn"
    EXCLUDED = "excluded"
    FAILED = "failed"
    NOTHING_LEFT = "nothing left"
    NOT_OPEN = "not open"
    PAUSED = "paused"
    OVER = "over"


@dataclass(frozen=True)
class WorkerStatus:
    """`assignment` is the task in progress, `tasks_left` how many more are available."""

    action: NextAction
    protocol: Protocol
    stage: Stage | None
    assignment: Assignment | None
    submitted: int
    earned: str
    tasks_left: int
    tries_left: int

    @property
    def is_ended(self) -> bool:
        """Whether the worker has nothing more to do, now or later."""
        ended = (NextAction.WITHDRAWN, NextAction.EXCLUDED, NextAction.FAILED, NextAction.OVER)
        return self.action in ended and self.assignment is None

    @property
    def tasks_left_shown(self) -> str:
        limit = handing_out.MAX_COUNTED_TASKS
        more = gettext("%(limit)s or more") % {"limit": limit}
        return more if self.tasks_left >= limit else str(self.tasks_left)


def worker_status(participant: Participation) -> WorkerStatus:
    """The worker's current status."""
    protocol = participant.study.current.protocol
    stage = participation.open_stage_for(participant, protocol)
    task = current_assignment(participant)
    left = handing_out.tasks_left(participant.worker, stage) if stage else 0
    totals = participation.totals(participant)
    tries = protocol.qualification.tries if protocol.qualification else 0
    return WorkerStatus(
        action=_next_action(participant, protocol, stage, task, left),
        protocol=protocol,
        stage=stage,
        assignment=task,
        submitted=totals.submitted,
        earned=lazy_dollars(totals.earned_cents),
        tasks_left=left,
        tries_left=max(0, tries - participant.tries),
    )


def assignments(participant: Participation) -> QuerySet[Assignment]:
    return _assignments(participant.worker_id)


def _assignments(worker: int | Parameter) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(worker=worker)
    return rows.select_related("hit__stage", "protocol_version")


@CompiledQuery
def _assignment() -> QuerySet[Assignment]:
    return _assignments(Parameter("worker")).filter(pk=Parameter("pk"))


@CompiledQuery
def _held_assignment() -> QuerySet[Assignment]:
    return _assignments(Parameter("worker")).filter(status=Status.HELD).order_by("-pk")[:1]


@CompiledQuery
def _last_assignment() -> QuerySet[Assignment]:
    return _assignments(Parameter("worker")).order_by("-pk")[:1]


def find_assignment(participant: Participation, pk: int) -> Assignment | None:
    """One of the worker's assignments by its key."""
    return _assignment.first(worker=participant.worker_id, pk=pk)


def current_assignment(participant: Participation) -> Assignment | None:
    """The task in progress.

    It is the assignment that is held, or the last one if only its time ran out, because that can
    still be submitted and is paid.
    """
    current = _held_assignment.first(worker=participant.worker_id)
    if current is not None:
        return current
    last = _last_assignment.first(worker=participant.worker_id)
    return last if last is not None and last.status == Status.EXPIRED else None


def needs_consent(participant: Participation, protocol: Protocol) -> bool:
    return participant.consented_at is None and bool(protocol.consent.strip())


def submitted_test(participant: Participation) -> Assignment | None:
    """The worker's qualification test after its submission, while it is not being repeated."""
    return (
        assignments(participant)
        .filter(hit__stage__kind=Stage.Kind.QUALIFICATION)
        .filter(status__in=(Status.SUBMITTED, Status.SURPLUS))
        .last()
    )


def _next_action(
    participant: Participation,
    protocol: Protocol,
    stage: Stage | None,
    task: Assignment | None,
    left: int,
) -> NextAction:
    if participant.withdrawn_at is not None:
        return NextAction.WITHDRAWN
    if participant.excluded_at is not None:
        return NextAction.EXCLUDED
    if needs_consent(participant, protocol):
        is_over = task is None and participation.is_over(participant.study)
        return NextAction.OVER if is_over else NextAction.CONSENT
    if task is not None:
        return NextAction.CONTINUE
    if stage is None:
        return _why_no_stage(participant, protocol)
    if stage.paused_at is not None:
        return NextAction.PAUSED
    if stage.kind == Stage.Kind.QUALIFICATION:
        return NextAction.RETRY_TEST if submitted_test(participant) else NextAction.TAKE_TEST
    return NextAction.START if left else NextAction.NOTHING_LEFT


def _why_no_stage(participant: Participation, protocol: Protocol) -> NextAction:
    if protocol.qualification is not None and participant.qualified == Qualified.FAILED:
        return NextAction.FAILED
    return NextAction.OVER if participation.is_over(participant.study) else NextAction.NOT_OPEN
