"""The data browser: search a set's candidates and read all answers to a question."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchmarks.errors.forms import DataQuery
from benchmarks.errors.services import data
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.services import listing
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.views.access import find_set, set_page
from core.pages.queries import FormValues, row_number
from core.refusals import RefusedError

MAX_RUNS = 4


@require_safe
def set_data(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = DataQuery.read(request.GET)
    every_run = listing.complete_runs(judgment_set)
    run_ids = [pk for text in request.GET.getlist("run") if (pk := row_number(text)) is not None]
    runs = [find_complete_run(judgment_set, pk) for pk in run_ids[:MAX_RUNS]]
    context: dict[str, object] = {
        "tab": "data",
        "query": query,
        "runs": every_run,
        "selected_runs": listing.with_names(runs),
        "selected_ids": {run.pk for run in runs},
        "choices": {
            name: names
            for name, names in reports.group_names(judgment_set).items()
            if name in ("system", *data.INSTANCE_LABELS) and len(names) > 1
        },
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
    }
    try:
        matches = data.search(judgment_set, query)
    except RefusedError as error:
        context["refused"] = str(error)
    else:
        page = data.instance_page(matches, query["sort"], query["page"])
        instances = [row["instance_id"] for row in page]
        context |= {
            "page": page,
            "instances": data.instance_answers(judgment_set, instances, matches, runs),
            "page_query": _page_query(query, run_ids),
        }
    return set_page(request, "benchmarks/errors/data.html", judgment_set, context)


def _page_query(query: FormValues, run_ids: list[int]) -> str:
    """The query without its page, for links to other pages."""
    pairs = [
        (name, value) for name, value in query.items() if name != "page" and value not in ("", None)
    ]
    return urlencode([*pairs, *(("run", pk) for pk in run_ids)])
