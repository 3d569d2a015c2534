"""The page of the largest disagreements."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import leaderboards
from benchmarks.errors.forms import COUNTS, ErrorsQuery, labels_of
from benchmarks.errors.services import errors
from benchmarks.errors.views import new_study
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import listing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import reports
from benchmarks.sets.views.access import find_set, own_query, set_page
from core.pages.queries import FormValues


@require_safe
def disagreements(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = ErrorsQuery.read(own_query(request, "errors"))
    runs = listing.complete_runs(judgment_set)
    run, other = _selected_runs(judgment_set, query, runs)
    labels = labels_of(query)
    context: dict[str, object] = {
        "tab": "errors",
        "query": query,
        "runs": runs,
        "run": run,
        "other": other,
        "counts": COUNTS,
        "choices": reports.group_names(judgment_set),
        "page_query": _page_query(query, run, other),
    }
    if run is not None:
        conflicts = errors.conflicts(
            run,
            other,
            query["count"],
            direction=query["show"],
            compare=query["compare"],
            **labels,
        )
        context |= {
            "conflicts": conflicts,
            "question_types": errors.question_types(conflicts),
            "new_study": new_study.form_context(request, judgment_set),
        }
    return set_page(request, "benchmarks/errors/errors.html", judgment_set, context)


def _page_query(query: FormValues, run: MetricRun | None, other: MetricRun | None) -> FormValues:
    """The query parameters that the page's forms repeat, so that they return to the same page."""
    options = {name: query[name] for name in ("show", "count", "compare")} | labels_of(query)
    sides = {"run": run, "other": other}
    return {name: side.pk for name, side in sides.items() if side is not None} | options


def _selected_runs(
    judgment_set: JudgmentSet, query: FormValues, runs: list[MetricRun]
) -> tuple[MetricRun | None, MetricRun | None]:
    """The run of the query or else the best on the board, and the other run of the query if it has
    one."""
    pk = query["run"] or (leaderboards.best_run(judgment_set) if runs else None)
    run = find_complete_run(judgment_set, pk) if pk else None
    other = find_complete_run(judgment_set, query["other"]) if query["other"] else None
    return run, None if other is not None and run is not None and other.pk == run.pk else other
