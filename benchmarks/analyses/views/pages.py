"""The pages of all analyses, from their descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string, select_template
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses.kind import AnyAnalysisKind
from benchmarks.analyses.page import AnalysisPage, Context, FormField, Opened
from benchmarks.analyses.queries import AnalysisQuery, query_of
from benchmarks.analyses.registry import KINDS
from benchmarks.analyses.views import analysis_state
from benchmarks.runs.finding import find_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria
from benchmarks.sets.views.access import (
    SECTION,
    choose_criterion,
    find_set,
    find_set_on_criterion,
    own_query,
    set_context,
    set_page,
    set_view,
)
from concord.bounds import bounded_fields
from core.accounts.roles import Role
from core.pages.polling import wants_fragment
from core.pages.queries import FormValues
from core.security.declarations import costs

SET = "sets/<str:ref>/"
# What the template of a page extends: the layout of the set's pages, nothing for a fragment, or a
# section of another page.
LAYOUT, FRAGMENT = "benchmarks/sets/base.html", "benchmarks/analyses/_fragment.html"
INSIDE = "benchmarks/analyses/_section.html"
Kind = AnyAnalysisKind


@dataclass(frozen=True)
class ShownField:
    """A field of the form with its value. choices: by the title of each group, "" for choices in
    none, (value, label) of each; empty for an input."""

    name: str
    label: str
    value: object
    placeholder: str = ""
    choices: tuple[tuple[str, list[tuple[str, str]]], ...] = ()

    @property
    def is_number(self) -> bool:
        return isinstance(self.value, int)


def routes(kind: Kind) -> Iterator[URLPattern]:
    """The URL patterns of the page of a kind; none where it has no page."""
    page = kind.page
    if page is None:
        return
    base, names = f"{SET}{page.path or f'{page.name}/'}", {"kind": kind.name}
    starting = set_view(Role.EDITOR, on_criterion="criterion" in kind.reads)(start)
    if not page.part_of:
        yield path(base, show, names, name=page.name)
    yield path(
        f"{base}{page.compute_path}", require_POST(starting), names, name=f"compute-{page.name}"
    )
    if page.file is not None:
        yield path(f"{base}{page.file_path}", send_file, names, name=f"{page.name}-file")


@require_safe
@costs("figures")
def show(request: HttpRequest, ref: str, kind: str, pk: int | None = None) -> HttpResponse:
    """The page: its form, and the result of the analysis that the query names, or its state."""
    description = KINDS[kind]
    page, opened = _page(description), _open(request, ref, description, pk)
    if page.section_of and not wants_fragment(request):
        query = urlencode({SECTION: page.name} | dict(request.GET.lists()), doseq=True)
        return redirect(f"{reverse(page.section_of, args=[ref])}?{query}#{page.name}")
    layout = FRAGMENT if wants_fragment(request) else LAYOUT
    poll_url = request.get_full_path()
    context = _context(opened, description, layout, poll_url, may_start=page.starts)
    template = _template(page)
    return set_page(request, template, opened.judgment_set, context, fragment=template)


def sections(request: HttpRequest, judgment_set: JudgmentSet, host: str) -> str:
    """The HTML of the sections of a page: each is the page of an analysis, with its own form.

    A query with the parameter `section` is that of the section with this name, which is open; the
    others start no analysis.
    """
    return mark_safe(
        "".join(
            _section(request, judgment_set, description)
            for description in KINDS.values()
            if description.page is not None and description.page.section_of == host
        )
    )


def _section(request: HttpRequest, judgment_set: JudgmentSet, description: Kind) -> str:
    page, judgment_set = _page(description), copy(judgment_set)
    if "criterion" in description.reads and judgment_set.criterion is None:
        choose_criterion(judgment_set, request.GET.get("criterion", ""))
    is_open = request.GET.get(SECTION) == page.name
    data = request.GET if is_open else QueryDict()
    opened = _opened(request, judgment_set, description, data, None)
    page.complete(opened)
    address = reverse(page.name, args=[str(judgment_set)])
    repeated = data.copy()
    repeated.pop(SECTION, None)
    poll_url = f"{address}?{repeated.urlencode()}"
    context = _context(opened, description, INSIDE, poll_url, may_start=is_open and page.starts)
    starting_url = address if page.starts and not is_open else ""
    context |= {"section": page.name, "is_open": is_open, "starting_url": starting_url}
    return render_to_string(_template(page), set_context(judgment_set) | context, request)


def _context(
    opened: Opened, description: Kind, layout: str, poll_url: str, *, may_start: bool
) -> Context:
    """The context of the page of a kind, besides that of the set. poll_url: the address of its
    polled element. may_start: whether a short analysis is started."""
    page, arguments = _page(description), _arguments(opened)
    context = {
        "layout": layout,
        "is_fragment": layout == FRAGMENT,
        "tab": page.in_tab or page.name,
        "page_id": page.name,
        "page_title": page.tab.title if page.tab else "",
        "page_url": reverse(page.section_of or page.name, args=arguments),
        "poll_url": poll_url,
        "compute_url": reverse(f"compute-{page.name}", args=arguments),
        "is_shown": True,
        "also_active": False,
        "by_criterion": "criterion" in description.reads,
        "query": opened.query,
        "form_names": list(_repeated(opened, description)),
        "fields": [shown for one in page.form if (shown := _shown(one, opened))],
        **page.beside(opened),
    }
    if context["is_shown"] and "refused" not in context:
        context |= state(opened, description, may_start=may_start)
    return context


def start(
    request: HttpRequest, judgment_set: JudgmentSet, kind: str, pk: int | None = None
) -> HttpResponse:
    """Start or stop the analysis that the form names, and return to the page."""
    description = KINDS[kind]
    page = _page(description)
    opened = _opened(request, judgment_set, description, request.POST, pk)
    address = reverse(page.part_of or page.name, args=_arguments(opened))
    page.complete(opened)
    analysis_state.change(request, kind, judgment_set, _parameters(opened, description))
    parameters = urlencode(_repeated(opened, description) | criteria.query(judgment_set))
    return redirect(f"{address}?{parameters}" if parameters else address)


@require_safe
def send_file(
    request: HttpRequest,
    ref: str,
    kind: str,
    extension: str,
    name: str = "",
    pk: int | None = None,
) -> HttpResponseBase:
    """A file of the result of the analysis that the query names."""
    description = KINDS[kind]
    page, opened = _page(description), _open(request, ref, description, pk)
    if page.file is None:
        raise Http404
    context = state(opened, description, may_start=False)
    return page.file(opened, context, name, extension)


def state(opened: Opened, kind: Kind, *, may_start: bool) -> Context:
    """The state of the analysis and, if it is complete, the context of its result."""
    page, parameters = _page(kind), _parameters(opened, kind)
    if may_start:
        context = analysis_state.started_context(
            opened.request,
            kind.name,
            opened.judgment_set,
            parameters,
            is_usual=page.is_usual(opened),
        )
    else:
        context = analysis_state.analysis_context(
            kind.name, opened.judgment_set, parameters, store=page.is_usual(opened)
        )
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kind.result_of(analysis)
    return context | {"result": result} | page.arrange(opened, result)


def _page(kind: Kind) -> AnalysisPage[Any]:  # its kind's result
    if kind.page is None:
        raise Http404(f"The analysis {kind.name} has no page.")
    return kind.page


def _template(page: AnalysisPage[Any]) -> str:  # of any result
    """The page's own template; without one, that of every result."""
    own = f"benchmarks/analyses/{page.name.replace('-', '_')}.html"
    return str(select_template([own, "benchmarks/analyses/result.html"]).template.name)


def _query(kind: Kind) -> type[AnalysisQuery]:
    return _page(kind).query or query_of(kind.parameters)


def _open(request: HttpRequest, ref: str, kind: Kind, pk: int | None) -> Opened:
    if "criterion" in kind.reads:
        judgment_set = find_set_on_criterion(request, ref)
    else:
        judgment_set = find_set(ref, request.user)
    opened = _opened(request, judgment_set, kind, own_query(request, _page(kind).name), pk)
    _page(kind).complete(opened)
    return opened


def _opened(
    request: HttpRequest, judgment_set: JudgmentSet, kind: Kind, data: QueryDict, pk: int | None
) -> Opened:
    """Raises RefusedError for an invalid query, and where the set has no such metric run."""
    run = None if pk is None else find_run(judgment_set, pk)
    return Opened(request, judgment_set, _query(kind).read(data), run)


def _parameters(opened: Opened, kind: Kind) -> dict[str, object]:
    """The parameters of the analysis that the query names."""
    values = opened.query if opened.run is None else opened.query | {"run": opened.run.pk}
    names = [field.name for field in bounded_fields(kind.parameters)]
    return {name: values[name] for name in names if name in values}


def _repeated(opened: Opened, kind: Kind) -> FormValues:
    """The query parameters that lead to the same page."""
    return {
        name: value
        for name, value in opened.query.items()
        if value is not None and name not in _query(kind).split_fields
    }


def _arguments(opened: Opened) -> list[str | int]:
    ref = str(opened.judgment_set)
    return [ref] if opened.run is None else [ref, opened.run.pk]


def _shown(field: FormField, opened: Opened) -> ShownField | None:
    value = opened.query[field.name]
    if field.choices is None:
        hint = field.placeholder
        placeholder = hint(opened) if callable(hint) else hint
        return ShownField(field.name, field.label, "" if value is None else value, placeholder)
    made = field.choices(opened) if callable(field.choices) else field.choices
    # Neighbours in the same group share a heading.
    grouped = groupby(made, key=lambda choice: choice[2] if len(choice) > 2 else "")
    choices = tuple((group, [(one[0], one[1]) for one in inside]) for group, inside in grouped)
    return ShownField(field.name, field.label, str(value), choices=choices) if choices else None
