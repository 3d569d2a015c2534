"""How many ratings does a study like this set need, and what do they cost?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotation.stages.services.forecasts import ratings_per_candidate, study_terms
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services import access
from benchmarks.analyses import kinds
from benchmarks.analyses.forms import PlanQuery
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.views import analysis_state
from benchmarks.analyses.views.judges import check_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from concord.documents.plan import (
    Components,
    MeansNeeds,
    PassageNeeds,
    PlanAnalysis,
    RuleNeeds,
)
from concord.planning.means import MeansRow, plan_means
from concord.planning.plan import PayTerms
from concord.planning.plot import PlanPlot, plan_plot
from concord.planning.variance import VarianceComponents
from concord.protocols import Pay
from concord.sampling.plans import Range, RulePlan, cents_range, ratings_range
from core.accounts.roles import Role
from core.pages.errors import UnknownChoiceError

TARGETS = {
    "5": "intervals of 5% of the scale",
    "10": "intervals of 10% of the scale",
    "20": "intervals of 20% of the scale",
    "ranking": "all pairs of systems differ",
}
# The parameters of the analysis; the others only convert its result.
PARAMETERS = ("run", "target", "units")


@dataclass(frozen=True)
class PlannedRule:
    """A rule with its ratings and cost; None without a price."""

    plan: RulePlan
    ratings: Range
    cents: Range | None


@dataclass(frozen=True)
class PlannedMeans:
    """The plan of one system's mean, or of a difference; rows: each with its range."""

    title: str
    rows: list[tuple[MeansRow, PassageNeeds]]
    plot: PlanPlot | None


@require_safe
def plan(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = PlanQuery.read(request.GET)
    runs = complete_board_runs(judgment_set)
    check_run(query["run"], runs)
    study = _study(request, query["study"])
    if study is not None and not query["units"]:
        query["units"] = _instances(study)
    studies = access.studies_for(request.user).order_by("title")
    context = {
        "tab": "rating-plan",
        "query": query,
        "runs": runs,
        "targets": TARGETS.items(),
        "studies": studies,
        "study": study,
        "form_names": list(query),
        "compute_url": reverse("compute-rating-plan", args=[str(judgment_set)]),
        **_plan(request, judgment_set, query, study),
    }
    return set_page(
        request,
        "benchmarks/analyses/plan.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_plan.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_plan(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = PlanQuery.read(request.POST)
    analysis_state.change(request, "plan", judgment_set, _parameters(query))
    return analysis_state.redirect_to(judgment_set, query, "rating-plan")


def _parameters(query: dict[str, Any]) -> dict[str, Any]:
    return {name: query[name] for name in PARAMETERS}


def _study(request: HttpRequest, slug: str) -> Study | None:
    """The study whose price is taken. Raises UnknownChoiceError for one of others."""
    if not slug:
        return None
    study = access.studies_for(request.user).filter(slug=slug).first()
    if study is None:
        raise UnknownChoiceError("You have no such study.")
    return study


def _instances(study: Study) -> int:
    rated = study.candidates.filter(use=StudyCandidate.Use.RATED)
    return rated.values("instance").distinct().count()


def _plan(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any], study: Study | None
) -> dict[str, Any]:
    context = analysis_state.started_context(
        request, "plan", judgment_set, _parameters(query), is_usual=not query["units"]
    )
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.plan.KIND.result_of(analysis)
    needs, terms = result["needs"], _terms(query, study)
    default = round(needs["ratings_each"]) if needs else 1
    each = query["ratings_each"] or (ratings_per_candidate(study) if study else 0) or default
    return context | {
        "result": result,
        "ratings_each": each,
        "has_price": terms is not None,
        "rules": [_rule(row, each, terms) for row in result["rules"]],
        "means": [] if needs is None else _means(result, needs, terms),
        "shares": [] if needs is None else _shares(needs["components"]),
    }


def _terms(query: dict[str, Any], study: Study | None) -> PayTerms | None:
    """The price of a rating; None where none is known."""
    if query["cents"]:
        return PayTerms(Pay(query["cents"]), 1)
    return None if study is None else study_terms(study)


def _rule(row: RuleNeeds, each: int, terms: PayTerms | None) -> PlannedRule:
    units, candidates = cast(Range, tuple(row["units"])), cast(Range, tuple(row["candidates"]))
    one = RulePlan(row["rule"], units, candidates, row["reached"])
    cents = None if terms is None else cents_range(one, each, terms)
    return PlannedRule(one, ratings_range(one, each), cents)


def _means(result: PlanAnalysis, needs: MeansNeeds, terms: PayTerms | None) -> list[PlannedMeans]:
    kinds = [("The mean of a system, over new passages", False, needs["mean"])]
    if needs["difference"]:
        kinds.append(("The difference of two systems", True, needs["difference"]))
    planned = []
    for title, of_difference, ranges in kinds:
        made = plan_means(
            VarianceComponents(**needs["components"]),
            result["width"],
            of_difference=of_difference,
            persons=needs["persons"],
            max_raters_each=len(ranges),
            terms=terms or PayTerms(Pay(0), 1),
        )
        rows = list(zip(made.rows, ranges, strict=True))
        planned.append(PlannedMeans(title, rows, plan_plot(made, "passages")))
    return planned


def _shares(components: Components) -> list[tuple[str, float | None, float | None]]:
    """(source, variance, share of all) of each component; None where it is unknown."""
    values = asdict(VarianceComponents(**components))
    total = sum(value for value in values.values() if value is not None)
    return [
        (name, value, value / total if value is not None and total else None)
        for name, value in values.items()
    ]
