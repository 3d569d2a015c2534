"""Error spans: raters, systems, and which metric falls with the severity of errors."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import spans as span_analysis
from benchmarks.boards.forms import SpansQuery
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page
from concord.spans import Weights


@require_safe
def spans(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    weights: Weights = SpansQuery.read(request.GET)["weights"]
    context = {
        "tab": "spans",
        "counts": judgment_set.statistics.get("marks"),
        "weights": weights,
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
        "severities": span_analysis.WORST,
    }
    if context["counts"] and not context["labels_hidden"]:
        read = span_analysis.read(judgment_set, weights)
        context |= {
            "report": read.report,
            "answers": [int((read.worst == k).sum()) for k in range(len(span_analysis.WORST))],
            "rows": span_analysis.metrics_on_spans(judgment_set, read),
        }
    return set_page(request, "benchmarks/boards/spans.html", judgment_set, context)
