"""The comparison of metrics: rank groups and tests of every two metrics."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses import services as analyses
from benchmarks.analyses.forms import ComparisonQuery
from benchmarks.analyses.kinds.agreement import rows as comparison_rows
from benchmarks.analyses.kinds.agreement import table as comparison_table
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.views import analysis_state
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, reports
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from benchmarks.sets.views.attachments import attachment
from benchmarks.sets.views.pictures import picture
from concord.meta.comparing import separating_test
from core.accounts.roles import Role

COEFFICIENTS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "kendall_b": "Kendall's \N{GREEK SMALL LETTER TAU}b",
    "kendall_c": "Kendall's \N{GREEK SMALL LETTER TAU}c",
}
AVERAGES = {
    "none": "over all candidates",
    "item": "within each instance, averaged",
    "sys": "within each system, averaged",
}
RESAMPLES = {"instances": "passages", "systems": "systems", "both": "passages and systems"}
UNITS = {
    "candidate": "a candidate",
    "instance": "an instance's candidates",
    "passage": "a passage's candidates",
}
LABELS = {
    "coefficients": COEFFICIENTS.items(),
    "averages": AVERAGES.items(),
    "resamples": RESAMPLES.items(),
    "units": UNITS.items(),
    "tests": comparison_rows.TESTS.items(),
}
PLOTS = {
    "ranking": "benchmarks/plots/ranking.svg",
    "matrix": "benchmarks/plots/matrix.svg",
    "similarity": "benchmarks/plots/similarity.svg",
    "learning": "benchmarks/plots/learning.svg",
}


@require_safe
def comparison(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = ComparisonQuery.read(request.GET)
    context = {
        **LABELS,
        "form_names": [name for name in query if name != "part"],
        "compute_url": reverse("compute-comparison", args=[str(judgment_set)]),
        "tab": "comparison",
        "query": query,
        "choices": reports.group_names(judgment_set),
        "query_string": urlencode(_parameters(query) | criteria.query(judgment_set)),
        **_analysis(judgment_set, query),
        **_learning(judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/comparison.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_comparison.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_analysis(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    """Start or stop the analysis that the form names."""
    query = ComparisonQuery.read(request.POST)
    parameters = _parameters(query)
    return analysis_state.start_or_stop(
        request, "agreement", judgment_set, parameters, "comparison"
    )


@require_safe
def comparison_file(request: HttpRequest, ref: str, name: str, extension: str) -> HttpResponse:
    """The ranking as csv, json or tex, or one of the plots as svg or png."""
    judgment_set = find_set_on_criterion(request, ref)
    query = ComparisonQuery.read(request.GET)
    if name == "learning":
        context = _learning(judgment_set, query)
        if context.get("learning") is None:
            raise Http404("There is no learning curve for this query.")
        return picture(request, judgment_set, PLOTS[name], context, name, extension)
    context = _analysis(judgment_set, query)
    if context.get("compared") is None:
        raise Http404("This comparison is not computed yet. Start the computation on its page.")
    analysis = context["analysis"]
    if name == "comparison" and extension == "json":
        response: HttpResponse = JsonResponse(
            comparison_table.document(judgment_set, analysis),
            json_dumps_params={"ensure_ascii": False, "allow_nan": False, "indent": 1},
        )
    elif name == "comparison" and extension == "csv":
        text = comparison_table.csv_text(judgment_set, analysis)
        response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    elif name == "comparison" and extension == "tex":
        text = comparison_table.latex(judgment_set, analysis)
        response = HttpResponse(text, content_type="application/x-tex; charset=utf-8")
    elif name in PLOTS:
        context |= {"judgment_set": judgment_set}
        return picture(request, judgment_set, PLOTS[name], context, name, extension)
    else:
        raise Http404(f"There is no {name}.{extension}.")
    return attachment(response, judgment_set, f"{name}.{extension}")


def _parameters(query: dict[str, str]) -> dict[str, str]:
    names = ("coefficient", "average", "resample", "unit", "by", "group")
    return {name: query[name] for name in names}


def _analysis(judgment_set: JudgmentSet, query: dict[str, str]) -> dict[str, Any]:
    """The analysis that the query names and, if it is complete, the rows of the page."""
    context = analysis_state.analysis_context("agreement", judgment_set, _parameters(query))
    analysis = analysis_state.complete_analysis(context)
    if analysis is not None:
        result = kinds.agreement.KIND.result_of(analysis)
        comparison = comparison_rows.arrange(result, query["test"])
        context |= {
            "result": result,
            "separating_test": separating_test(result),
            "compared": comparison,
            "forest": comparison_rows.forest(comparison),
            "has_people": any("relative" in row for row in result["metrics"]),
            "coefficient_name": COEFFICIENTS[query["coefficient"]],
            "average_name": {"item": "Instances", "sys": "Systems"}.get(query["average"], ""),
            "average_name_long": AVERAGES[query["average"]],
        }
    return context


def _learning(judgment_set: JudgmentSet, query: dict[str, str]) -> dict[str, Any]:
    """The learning curve of the same coefficient and part, if a page can compute it."""
    parameters = {name: query[name] for name in ("coefficient", "by", "group")}
    try:
        analysis = analyses.find_or_compute("learning", judgment_set, parameters)
    except analyses.AnalysisRefusedError:
        return {}
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return {"learning_reason": analysis.reason if analysis else ""}
    return {
        "learning": comparison_rows.learning_plot(kinds.learning.KIND.result_of(analysis)),
        "learning_analysis": analysis,
        "judgment_set": judgment_set,
    }
