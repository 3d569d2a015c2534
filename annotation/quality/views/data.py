"""The data browser of a study, and its ratings as a file."""

from __future__ import annotations

from collections.abc import Iterator

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.quality.services import browsing, choices, rating_files
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import study_page, study_view
from concord.filtering import LedgerError
from concord.sentences import to_sentence
from core import audit
from core.accounts.roles import Role
from core.pages.queries import FormValues, QueryForm, choice, text


class StudyDataQuery(QueryForm):
    """The search in a study's data (`browsing.search`)."""

    q = text()
    system = text()
    constituent = text()
    split = text()
    stage = choice(*Stage.Kind.values, default="")
    state = choice(*browsing.STATES, default="")
    low = forms.FloatField(required=False)
    high = forms.FloatField(required=False)
    disagreement = forms.FloatField(required=False, min_value=0)
    sort = choice(*browsing.SORTS, default="position")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


@require_safe
@study_view(Role.VIEWER)
def data(request: HttpRequest, study: Study) -> HttpResponse:
    query = StudyDataQuery.read(request.GET)
    kinds = list(study.stages.order_by("number").values_list("kind", flat=True))
    context: dict[str, object] = {
        "tab": "data",
        "query": query,
        "choices": browsing.names(study) | ({"stage": kinds} if len(kinds) > 1 else {}),
        "states": browsing.STATES.items(),
        "columns": rating_files.COLUMNS,
    }
    try:
        figures = browsing.study_figures(study)
    except LedgerError as error:
        context["ledger_problem"] = to_sentence(error)
    else:
        matches = browsing.search(study, query, figures)
        page = browsing.instance_page(matches, query["page"])
        context |= {
            "page": page,
            "instances": browsing.instance_answers(study, list(page), matches, figures),
            "page_query": _page_query(query),
        }
    return study_page(request, "annotation/quality/data.html", study, context)


@require_safe
@study_view(Role.EDITOR)
def ratings_file(request: HttpRequest, study: Study, extension: str) -> HttpResponseBase:
    """Every submitted rating of the study. The download is recorded."""
    try:
        rows = rating_files.rating_rows(study)
    except LedgerError as error:
        messages.error(request, to_sentence(error))
        return redirect("study-quality", study.slug)
    lines = rating_files.csv_lines(rows) if extension == "csv" else rating_files.json_lines(rows)
    audit.record(None, "ratings.exported", study, after={"as": extension}, study=study)
    response = StreamingHttpResponse(
        lines, content_type=f"{rating_files.CONTENT_TYPES[extension]}; charset=utf-8"
    )
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-ratings.{extension}"'
    return response


@require_safe
@study_view(Role.EDITOR)
def choices_file(request: HttpRequest, study: Study) -> HttpResponseBase:
    """The choices between two candidates that the ledger keeps. The download is recorded."""
    try:
        lines = choices.choice_lines(study)
    except LedgerError as error:
        messages.error(request, to_sentence(error))
        return redirect("study-quality", study.slug)
    return choices_response(study, lines)


def choices_response(study: Study, lines: Iterator[str]) -> HttpResponseBase:
    """The lines as a file. Its download is recorded."""
    audit.record(None, "ratings.exported", study, after={"as": "concord-pairs"}, study=study)
    response = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-choices.jsonl"'
    return response


def _page_query(query: FormValues) -> str:
    """The query without its page, for links to other pages."""
    return urlencode(
        [
            (name, value)
            for name, value in query.items()
            if name != "page" and value not in ("", None)
        ]
    )
