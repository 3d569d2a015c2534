"""How many ratings does a study like this set need, and what do they cost?"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from django import forms

from annotation.stages.services.rating_terms import ratings_per_candidate, study_terms
from annotation.studies.models import Study, StudyCandidate
from annotation.studies.services import access
from benchmarks.analyses.kinds.plan.computation import MeansNeeds, PlanAnalysis, PlanParameters
from benchmarks.analyses.kinds.replay import GOALS
from benchmarks.analyses.page import (
    AnalysisPage,
    Choices,
    Context,
    FormField,
    Opened,
    check_run,
    run_choices,
)
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from concord.planning.means import NeededPassages, plan_means
from concord.planning.plan import PayTerms, PlanRow
from concord.planning.plot import PlanPlot, plan_plot
from concord.planning.variance import VarianceComponents
from concord.protocols import Pay
from concord.sampling.plans import PricedRule
from core.pages.queries import FormValues, text
from core.refusals import RefusedError


@dataclass(frozen=True)
class PlannedMeans:
    """The plan of one system's mean, or of a difference; rows: each with its range."""

    title: str
    rows: list[tuple[PlanRow, NeededPassages]]
    plot: PlanPlot | None


@with_parameters(PlanParameters)
class PlanQuery(AnalysisQuery):
    """The parameters of a plan; the ratings of an answer and their price, or the study itself."""

    study = text()
    ratings_each = forms.IntegerField(required=False, min_value=0, max_value=100, initial=0)
    cents = forms.IntegerField(required=False, min_value=0, max_value=1_000_000, initial=0)


def complete(opened: Opened) -> None:
    """Plan as many instances as the study has. Raises RefusedError."""
    check_run(opened)
    study = _study(opened)
    if study is not None and not opened.query["units"]:
        rated = study.candidates.filter(use=StudyCandidate.Use.RATED)
        opened.query["units"] = rated.values("instance").distinct().count()


def is_usual(opened: Opened) -> bool:
    return not opened.query["units"]


def study_choices(opened: Opened) -> Choices:
    """The studies whose price may be taken, after none; nothing where there are none."""
    studies = list(access.studies_for(opened.request.user).order_by("title"))
    if studies:
        yield "", "none"
        yield from ((study.slug, study.title) for study in studies)


def price_hint(opened: Opened) -> str:
    return "as the study" if opened.query["study"] else ""


def arrange(opened: Opened, result: PlanAnalysis) -> Context:
    """The ratings and the cost of every rule, and of means and differences of systems."""
    study = _study(opened)
    needs, terms = result.needs, _terms(opened.query, study)
    default = round(needs.ratings_each) if needs else 1
    of_study = ratings_per_candidate(study) if study else 0
    each = opened.query["ratings_each"] or of_study or default
    return {
        "study": study,
        "ratings_each": each,
        "has_price": terms is not None,
        "rules": [PricedRule.of(row, each, terms) for row in result.rules],
        "means": [] if needs is None else _means(result, needs, terms),
        "shares": [] if needs is None else _shares(needs.components),
    }


def _study(opened: Opened) -> Study | None:
    """The study whose price is taken. Raises RefusedError for one of others."""
    slug = opened.query["study"]
    if not slug:
        return None
    study = access.studies_for(opened.request.user).filter(slug=slug).first()
    if study is None:
        raise RefusedError("You have no such study.", "query-invalid")
    return study


def _terms(query: FormValues, study: Study | None) -> PayTerms | None:
    """The price of a rating; None where none is known."""
    if query["cents"]:
        return PayTerms(Pay(query["cents"]), 1)
    return None if study is None else study_terms(study)


def _means(result: PlanAnalysis, needs: MeansNeeds, terms: PayTerms | None) -> list[PlannedMeans]:
    kinds = [("The mean of a system, over new passages", False, needs.mean)]
    if needs.difference:
        kinds.append(("The difference of two systems", True, needs.difference))
    planned = []
    for title, of_difference, ranges in kinds:
        made = plan_means(
            needs.components,
            result.width,
            of_difference=of_difference,
            persons=needs.persons,
            max_raters_each=len(ranges),
            terms=terms or PayTerms(Pay(0), 1),
        )
        rows = list(zip(made.rows, ranges, strict=True))
        planned.append(PlannedMeans(title, rows, plan_plot(made, "passages")))
    return planned


def _shares(components: VarianceComponents) -> list[tuple[str, float | None, float | None]]:
    """(source, variance, share of all) of each component; None where it is unknown."""
    values = asdict(components)
    total = sum(value for value in values.values() if value is not None)
    return [
        (name, value, value / total if value is not None and total else None)
        for name, value in values.items()
    ]


PAGE = AnalysisPage(
    name="rating-plan",
    path="plan/",
    section_of="fewer-ratings",
    query=PlanQuery,
    form=(
        FormField("run", "Metric", run_choices),
        FormField("target", "Target", sorted(GOALS.items(), key=lambda goal: goal[0] == "ranking")),
        FormField("study", "For the study", study_choices),
        FormField("units", "Instances", placeholder="as this set"),
        FormField("ratings_each", "Ratings of an answer", placeholder="as this set"),
        FormField("cents", "Cents a rating", placeholder=price_hint),
    ),
    complete=complete,
    arrange=arrange,
    is_usual=is_usual,
)
