"""The first page: judgment sets, published studies, and the user's next steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.setup.services.next_steps import SetUpStep, next_step
from annotation.studies.models import Study
from annotation.studies.services import access as studies
from benchmarks.boards.services.top_metrics import RankedMetric, SetRanking, rank_public_metrics
from benchmarks.runs.models import Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.plots import IntervalMark, IntervalScale

# Metrics that a card plots, and the width of its plot in pixels.
MAX_PLOTTED = 6
PLOT_WIDTH = 160
# Studies with a next step, and published studies.
MAX_OWN_STUDIES = 5
MAX_PUBLISHED_STUDIES = 20
MAX_INCOMPLETE_SUBMISSIONS = 5


@dataclass(frozen=True)
class PlottedMetric:
    """A metric on a card, with its dot and interval."""

    metric: RankedMetric
    mark: IntervalMark


@dataclass(frozen=True)
class SetCard:
    """A judgment set with its ranking; `scale` is None without a ranked metric."""

    judgment_set: JudgmentSet
    ranking: SetRanking | None
    scale: IntervalScale | None
    metrics: list[PlottedMetric]


@dataclass(frozen=True)
class OwnStudy:
    """A study of which the user is a member, with its next step."""

    study: Study
    step: SetUpStep | None


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    sets = list(access.sets_for(request.user).latest_versions())
    rankings = rank_public_metrics(sets)
    context = {
        "cards": [_card(judgment_set, rankings.get(judgment_set.pk)) for judgment_set in sets],
        "published_studies": studies.published()[:MAX_PUBLISHED_STUDIES],
        "own_studies": _own_studies(request.user),
        "incomplete": _incomplete_submissions(request.user, sets),
    }
    return render(request, "benchmarks/boards/home.html", context)


def _card(judgment_set: JudgmentSet, ranking: SetRanking | None) -> SetCard:
    if ranking is None:
        return SetCard(judgment_set, None, None, [])
    metrics = _sample(ranking.metrics)
    scale = IntervalScale.from_intervals(
        (metric.ci or [metric.value] for metric in metrics), width=PLOT_WIDTH, ticks=3
    )
    plotted = [PlottedMetric(metric, scale.mark(metric.value, metric.ci)) for metric in metrics]
    return SetCard(judgment_set, ranking, scale, plotted)


def _sample(metrics: list[RankedMetric]) -> list[RankedMetric]:
    """The best metric, the worst, and others at equal distances between them."""
    if len(metrics) <= MAX_PLOTTED:
        return metrics
    last = len(metrics) - 1
    return [metrics[round(i * last / (MAX_PLOTTED - 1))] for i in range(MAX_PLOTTED)]


def _own_studies(user: Any) -> list[OwnStudy]:
    """The latest studies of which the user is a member, without archived ones."""
    if not user.is_authenticated:
        return []
    own = Study.objects.filter(members__user=user, archived_at=None).order_by("-created_at")
    return [OwnStudy(study, next_step(study)) for study in own[:MAX_OWN_STUDIES]]


def _incomplete_submissions(user: Any, sets: list[JudgmentSet]) -> list[Submission]:
    """The user's submissions that were carried to one of these sets and lack scores there."""
    if not user.is_authenticated:
        return []
    own = Submission.objects.filter(owner=user, kind__in=Submission.FROM_FILE)
    own = own.filter(judgment_set__in=sets)
    waiting = own.exclude(known_scores=None).select_related("judgment_set").defer("known_scores")
    return list(waiting[:MAX_INCOMPLETE_SUBMISSIONS])
