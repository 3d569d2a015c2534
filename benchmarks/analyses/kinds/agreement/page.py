"""The comparison of metrics: ranks and tests of every two metrics."""

from __future__ import annotations

from django import forms
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import urlencode

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds import learning, raters
from benchmarks.analyses.kinds.agreement import rows, table
from benchmarks.analyses.kinds.agreement.computation import AgreementParameters
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.page import (
    COEFFICIENT,
    COEFFICIENTS,
    AnalysisPage,
    Choices,
    Context,
    FormField,
    Opened,
    PageTab,
)
from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.sets.services import criteria, reports
from benchmarks.sets.views.attachments import attachment, csv_file, json_file
from benchmarks.sets.views.pictures import picture, points_file
from concord.documents.comparison import AgreementAnalysis
from concord.documents.conversion import to_json
from concord.documents.findings import GroupAlphaRow
from concord.meta.board import GROUPINGS
from concord.meta.comparing import interval_method, separating_test
from core.pages.queries import FormValues, choice, text
from core.refusals import RefusedError

AVERAGES = {
    "none": "over all candidates",
    "item": "within each instance, averaged",
    "sys": "within each system, averaged",
}
RESAMPLES = {"instances": "passages", "systems": "systems", "both": "passages and systems"}
UNITS = {
    "passage": "a passage's candidates",
    "instance": "an instance's candidates",
    "candidate": "a candidate",
}
PLOTS = {
    "ranking": "benchmarks/plots/ranking.svg",
    "matrix": "benchmarks/plots/matrix.svg",
    "similarity": "benchmarks/plots/similarity.svg",
    "learning": "benchmarks/plots/learning.svg",
}


@with_parameters(AgreementParameters)
class ComparisonQuery(AnalysisQuery):
    """The agreement with people, the part of the set and the test of pairs."""

    split_fields = ("part",)
    test = choice(*rows.TESTS, default="adjusted")
    part = text()

    def clean(self) -> FormValues:
        """Split `part`, such as "system:gpt2", into `by` and `group`: one select sends both."""
        values = super().clean() or {}
        by, colon, group = values.get("part", "").partition(":")
        if colon:
            if by not in GROUPINGS:
                raise forms.ValidationError(f"There is no grouping “{by}”.")
            values["by"], values["group"] = by, group
        return values


def complete(opened: Opened) -> None:
    """Select the part that `by` and `group` name."""
    by, group = opened.query["by"], opened.query["group"]
    opened.query["part"] = f"{by}:{group}" if by else ""


def part_choices(opened: Opened) -> Choices:
    """The groups of every grouping that has several, after the whole set."""
    yield "", "the whole set"
    for grouping, names in reports.group_names(opened.judgment_set).items():
        if len(names) > 1:
            yield from ((f"{grouping}:{name}", name, grouping) for name in names)


def beside(opened: Opened) -> Context:
    """The query of the files, and the learning curve."""
    names = ("coefficient", "average", "resample", "unit", "by", "group")
    query = {name: opened.query[name] for name in names}
    return {
        "query_string": urlencode(query | criteria.query(opened.judgment_set)),
        **_learning(opened),
    }


def arrange(opened: Opened, result: AgreementAnalysis) -> Context:
    """Ranks, tests of every two metrics, and their plots."""
    query, alphas = opened.query, _alphas(opened)
    comparison = rows.arrange(result, query["test"])
    return {
        "separating_test": separating_test(result),
        "interval_method": interval_method(result),
        "compared": comparison,
        "forest": rows.forest(comparison),
        "people": [(one, alphas.get(one["group"])) for one in result["people"]["groups"]],
        "has_intervals": any(row["ci"] for row in result["metrics"]),
        "coefficient_name": COEFFICIENTS[query["coefficient"]],
        "average_name_long": AVERAGES[query["average"]],
    }


def comparison_file(
    opened: Opened, context: Context, name: str, extension: str
) -> HttpResponseBase:
    """The ranking as csv, json or tex, or one of the plots as svg or png."""
    request, judgment_set = opened.request, opened.judgment_set
    if name == "learning":
        context = _learning(opened)
        if context.get("learning") is None:
            raise Http404("There is no learning curve for this query.")
        if extension == "csv":
            points = to_json(learning.KIND.result_of(context["learning_analysis"]).points)
            return points_file(judgment_set, points, name)
        return picture(request, judgment_set, PLOTS[name], context, name, extension)
    if context.get("compared") is None:
        raise Http404("This comparison is not computed yet. Start the computation on its page.")
    analysis = context["analysis"]
    if name == "comparison" and extension == "json":
        return json_file(judgment_set, table.document(judgment_set, analysis), "comparison.json")
    if name == "comparison" and extension == "csv":
        return csv_file(judgment_set, table.to_csv(judgment_set, analysis), "comparison.csv")
    if name == "comparison" and extension == "tex":
        text = table.to_latex(judgment_set, analysis)
        response = HttpResponse(text, content_type="application/x-tex; charset=utf-8")
        return attachment(response, judgment_set, "comparison.tex")
    if name in PLOTS:
        context |= {"judgment_set": judgment_set}
        return picture(request, judgment_set, PLOTS[name], context, name, extension)
    raise Http404(f"There is no {name}.{extension}.")


def _alphas(opened: Opened) -> dict[str, GroupAlphaRow]:
    """Krippendorff's alpha by group of raters, of the whole set, if a page can compute it."""
    if opened.query["by"]:
        return {}
    try:
        analysis = analyses.find_or_compute("raters", opened.judgment_set, {})
    except RefusedError:
        return {}
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return {}
    return {row["group"]: row for row in raters.KIND.result_of(analysis)["raters"]}


def _learning(opened: Opened) -> Context:
    """The learning curve of the same coefficient and part, if a page can compute it."""
    judgment_set = opened.judgment_set
    parameters = {name: opened.query[name] for name in ("coefficient", "by", "group")}
    try:
        analysis = analyses.find_or_compute("learning", judgment_set, parameters)
    except RefusedError:
        return {}
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return {"learning_reason": analysis.reason if analysis else ""}
    return {
        "learning": rows.learning_plot(learning.KIND.result_of(analysis)),
        "learning_analysis": analysis,
        "judgment_set": judgment_set,
    }


PAGE = AnalysisPage(
    name="comparison",
    tab=PageTab("Metrics", "Comparison", before="criteria"),
    query=ComparisonQuery,
    form=(
        COEFFICIENT,
        FormField("average", "Computed", AVERAGES.items()),
        FormField("part", "Of", part_choices),
        FormField("resample", "Bootstrap unit", RESAMPLES.items()),
        FormField("unit", "Permutation unit", UNITS.items()),
        FormField("test", "Pairs by", rows.TESTS.items()),
    ),
    complete=complete,
    beside=beside,
    arrange=arrange,
    starts=False,
    file_path="<slug:name>.<slug:extension>",
    file=comparison_file,
)
