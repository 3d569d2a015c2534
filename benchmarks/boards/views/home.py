"""The first page: what Concord answers, or the user's work; judgment sets and published studies."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_safe

from annotation.studies.services import access as studies
from benchmarks.boards.services.demo_pictures import demo_pictures
from benchmarks.boards.services.top_metrics import RankedMetric, SetRanking, rank_public_metrics
from benchmarks.boards.services.workbench import workbench
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord import demo
from concord.plots import IntervalMark, IntervalScale

# Metrics that a card plots, and the width of its plot in pixels.
MAX_PLOTTED = 6
PLOT_WIDTH = 160
MAX_PUBLISHED_STUDIES = 20


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
class WayIn:
    """A question that Concord answers, with the page that answers it for the demo set."""

    name: str
    question: str
    url: str


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    sets = list(access.sets_for(request.user).latest_versions())
    rankings = rank_public_metrics(sets)
    context = {
        "cards": [_card(judgment_set, rankings.get(judgment_set.pk)) for judgment_set in sets],
        "published_studies": studies.published()[:MAX_PUBLISHED_STUDIES],
        "work": workbench(request.user, sets, at=now()),
        "ways": _ways_in(sets),
        "pictures": demo_pictures(),
    }
    return render(request, "benchmarks/boards/home.html", context)


def _ways_in(sets: list[JudgmentSet]) -> list[WayIn]:
    """The questions; where the site has no demo, their pages are of the documentation."""
    judged = next((one for one in sets if one.name == demo.SET_NAME and one.illustrative), None)
    study = studies.published().filter(slug=demo.STUDY_NAME).first()

    def page(name: str, guide: str) -> str:
        return reverse(name, args=[judged]) if judged else reverse("docs-page", args=[guide])

    ratings = reverse("docs-page", args=["tutorials/first-study.html"])
    if study is not None:
        ratings = reverse("study-public", args=[study.slug])
    board = page("leaderboard", "tutorials/first-board.html")
    return [
        WayIn("board", "Which metric agrees with people?", board),
        WayIn("ratings", "Collect ratings", ratings),
        WayIn("judge", "May this judge stand in?", page("judges", "how-to/judges.html")),
        WayIn(
            "enough",
            "How few ratings are enough?",
            page("fewer-ratings", "how-to/estimate.html"),
        ),
    ]


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
