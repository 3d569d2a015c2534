"""What a user's work waits for, what runs, and what finished."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Count, Q
from django.urls import reverse

from annotation.rating.services.correspondence import waiting_messages
from annotation.setup.services.next_steps import next_step
from annotation.studies.models import Stage, Study
from benchmarks.imports.models import SetImport
from benchmarks.judging.models import ModelJudge
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet, SetMember
from concord import demo
from concord.sentences import counted
from core.accounts.roles import SiteUser
from core.jobs.models import Job

MAX_STUDIES = 5
MAX_ITEMS = 8
#: How long finished work is shown.
FINISHED_FOR = timedelta(days=14)


UserJob = SetImport | ModelJudge


@dataclass(frozen=True)
class WorkItem:
    """One thing with its page. `note`: what to do, how far it is, or how it ended."""

    title: str
    url: str
    note: str = ""
    is_problem: bool = False


@dataclass(frozen=True)
class Workbench:
    """A user's work. `has_any`: whether the user ever began some."""

    waiting: list[WorkItem]
    running: list[WorkItem]
    finished: list[WorkItem]
    has_any: bool


def workbench(user: SiteUser, sets: list[JudgmentSet], *, at: datetime) -> Workbench:
    """The work of a user; `sets` are the latest versions that the user may see."""
    if not user.is_authenticated:
        return Workbench([], [], [], has_any=False)
    studies = list(
        Study.objects.filter(members__user=user, archived_at=None).order_by("-created_at")
    )
    names = set(SetMember.objects.filter(user=user).values_list("set_name", flat=True))
    jobs = list(_jobs(user, since=at - FINISHED_FOR))
    drafts = [job for job in jobs if job.status == SetImport.DRAFT]
    ended = [job for job in jobs if job.finished_at is not None]
    ended.sort(key=lambda job: job.finished_at or at, reverse=True)
    return Workbench(
        waiting=[
            *(_job(job, "Choose the columns of its table.") for job in drafts),
            *_steps(studies[:MAX_STUDIES]),
        ][:MAX_ITEMS],
        running=[
            *(_job(job, f"{job.percent}%") for job in jobs if job.is_active),
            *_open_stages(studies),
            *_scoring(names),
        ][:MAX_ITEMS],
        finished=[
            _job(job, _end(job), is_problem=job.status != Job.Status.COMPLETE) for job in ended
        ][:MAX_ITEMS],
        has_any=bool(names or jobs) or any(study.slug != demo.STUDY_NAME for study in studies),
    )


def _steps(studies: list[Study]) -> Iterator[WorkItem]:
    """Raters' messages without an answer, and the next step of each study without an open stage."""
    for study in studies:
        if count := waiting_messages(study):
            url = reverse("study-messages", args=[study.slug])
            yield WorkItem(study.title, url, f"Answer {counted(count, 'message')} from raters.")
        step = next_step(study)
        if step is None or step.page == "judgment-set":
            continue
        if not study.stages.filter(status=Stage.Status.OPEN).exists():
            yield WorkItem(study.title, step.url, f"{step.title}: {step.text}")


def _open_stages(studies: list[Study]) -> Iterator[WorkItem]:
    stages = Stage.objects.filter(study__in=studies, status=Stage.Status.OPEN)
    for stage in stages.select_related("study").order_by("-study__created_at"):
        kind = Stage.Kind(stage.kind)
        url = reverse("study-monitor", args=[stage.study.slug])
        yield WorkItem(stage.study.title, url, f"The {kind.label.lower()} stage is open.")


def _scoring(names: set[str]) -> Iterator[WorkItem]:
    """Sets on which metrics are being scored."""
    runs = MetricRun.objects.filter(judgment_set__name__in=names, status__in=MetricRun.ACTIVE)
    counts = runs.values_list("judgment_set").annotate(n=Count("pk")).order_by("-n")[:MAX_ITEMS]
    by_key = JudgmentSet.objects.in_bulk([pk for pk, _ in counts])
    for pk, count in counts:
        url = reverse("metric-runs", args=[by_key[pk]])
        yield WorkItem(by_key[pk].label, url, f"{counted(count, 'metric')} to score.")


def _jobs(user: User, since: datetime) -> Iterator[UserJob]:
    """The user's imports and model judges that are active or ended since then."""
    recent = Q(finished_at=None) | Q(finished_at__gte=since)
    yield from SetImport.objects.filter(recent, by=user)[:MAX_ITEMS]
    yield from ModelJudge.objects.filter(recent, owner=user)[:MAX_ITEMS]


def _job(job: UserJob, note: str, *, is_problem: bool = False) -> WorkItem:
    title = f"{job}"
    return WorkItem(f"{title[:1].upper()}{title[1:]}", job.get_absolute_url(), note, is_problem)


def _end(job: UserJob) -> str:
    """How a job ended."""
    return job.get_status_display().capitalize() + (f": {job.reason}" if job.reason else "")
