"""Where a worker stands in a study: what they can do now, and if nothing, why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.views.showing import dollars
from annotation.studies.models import Stage, Study
from concord.protocols import Protocol

Status = Assignment.Status
Qualified = Participation.Qualified


class Can(StrEnum):
    """What a worker's overview offers, or why it offers nothing."""

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
    OVER = "over"


@dataclass(frozen=True)
class Standing:
    """`assignment` is the task in the worker's hands, `tasks_left` how many more can be had."""

    can: Can
    protocol: Protocol
    stage: Stage | None
    assignment: Assignment | None
    submitted: int
    earned: str
    tasks_left: int
    tries_left: int

    @property
    def is_ended(self) -> bool:
        """Whether nothing more is asked of the worker, now or later."""
        ended = (Can.WITHDRAWN, Can.EXCLUDED, Can.FAILED, Can.OVER)
        return self.can in ended and self.assignment is None

    @property
    def tasks_left_shown(self) -> str:
        most = handing_out.MOST_COUNTED
        return f"{most} or more" if self.tasks_left >= most else str(self.tasks_left)


def standing(taking_part: Participation) -> Standing:
    """Where a worker stands now."""
    protocol = taking_part.study.current.protocol
    stage = participation.open_stage_for(taking_part)
    task = current_assignment(taking_part)
    left = handing_out.tasks_left(taking_part.worker, stage) if stage else 0
    tries = protocol.qualification.tries if protocol.qualification else 0
    done = assignments(taking_part).filter(status__in=(Status.SUBMITTED, Status.SURPLUS))
    return Standing(
        can=_can(taking_part, protocol, stage, task, left),
        protocol=protocol,
        stage=stage,
        assignment=task,
        submitted=done.count(),
        earned=dollars(participation.earned_cents(taking_part)),
        tasks_left=left,
        tries_left=max(0, tries - taking_part.tries),
    )


def assignments(taking_part: Participation) -> QuerySet[Assignment]:
    return Assignment.objects.filter(
        worker=taking_part.worker_id, hit__stage__study=taking_part.study_id
    ).select_related("hit__stage", "protocol_version", "worker")


def current_assignment(taking_part: Participation) -> Assignment | None:
    """The task in the worker's hands.

    That is one held, or the last one they had where only its time ran out: it can still be
    submitted, and is paid.
    """
    mine = assignments(taking_part)
    held = mine.filter(status=Status.HELD).last()
    if held is not None:
        return held
    last = mine.last()
    return last if last is not None and last.status == Status.EXPIRED else None


def needs_consent(taking_part: Participation, protocol: Protocol) -> bool:
    return bool(protocol.consent.strip()) and taking_part.consented_at is None


def submitted_test(taking_part: Participation) -> Assignment | None:
    """The worker's qualification test, once it was submitted and while it is not taken again."""
    return (
        assignments(taking_part)
        .filter(hit__stage__kind=Stage.Kind.QUALIFICATION)
        .filter(status__in=(Status.SUBMITTED, Status.SURPLUS))
        .last()
    )


def _can(
    taking_part: Participation,
    protocol: Protocol,
    stage: Stage | None,
    task: Assignment | None,
    left: int,
) -> Can:
    if taking_part.withdrawn_at is not None:
        return Can.WITHDRAWN
    if taking_part.excluded_at is not None:
        return Can.EXCLUDED
    if needs_consent(taking_part, protocol):
        return Can.CONSENT
    if task is not None:
        return Can.CONTINUE
    if stage is None:
        return _why_no_stage(taking_part, protocol)
    if stage.kind == Stage.Kind.QUALIFICATION:
        return Can.RETRY_TEST if submitted_test(taking_part) else Can.TAKE_TEST
    return Can.START if left else Can.NOTHING_LEFT


def _why_no_stage(taking_part: Participation, protocol: Protocol) -> Can:
    if protocol.qualification is not None and taking_part.qualified == Qualified.FAILED:
        return Can.FAILED
    return Can.OVER if _is_over(taking_part.study) else Can.NOT_OPEN


def _is_over(study: Study) -> bool:
    return study.stages.filter(kind=Stage.Kind.FULL, status=Stage.Status.CLOSED).exists()
