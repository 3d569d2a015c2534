"""The page of a second look: choose disagreements, follow the stage, and read who was right."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods

from annotation.studies.errors import StudyError
from annotation.studies.services.access import StudyMissingError, StudyRoleNeededError
from benchmarks.analyses.services import AnalysisRefusedError
from benchmarks.runs.finding import find_complete_run
from benchmarks.runs.models import MetricRun
from benchmarks.second_looks import services
from benchmarks.second_looks.inputs import NewSecondLook
from benchmarks.second_looks.models import SecondLook
from benchmarks.second_looks.services import SecondLookRefusedError
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import set_page, set_view
from concord.sentences import counted
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.pages.derived import DataclassForm
from core.pages.queries import QueryForm

COUNTS = (20, 50, 100, 200)


class ShownQuery(QueryForm):
    """How many disagreements are listed."""

    count = forms.TypedChoiceField(
        choices=[(count, count) for count in COUNTS], coerce=int, required=False, initial=COUNTS[0]
    )


class SecondLookForm(DataclassForm[NewSecondLook]):
    """How many ratings each of the chosen candidates gets; the candidates are read apart."""

    only = ("ratings",)


REFUSALS = (
    SecondLookRefusedError,
    StudyError,
    AnalysisRefusedError,
    StudyRoleNeededError,
    StudyMissingError,
)


@require_http_methods(["GET", "HEAD", "POST"])
@set_view(Role.EDITOR)
def second_look(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    """The disagreements to choose from, or the second look that was made of them."""
    run = find_complete_run(judgment_set, pk)
    if request.method != "POST":
        return _page(request, judgment_set, run, SecondLookForm())
    form = SecondLookForm(request.POST)
    if not form.is_valid():
        return _page(request, judgment_set, run, form, status=422)
    keys = request.POST.getlist("candidate")
    try:
        look = services.request(
            judgment_set, run, keys, form.cleaned_data["ratings"], by=person(request), at=now()
        )
    except REFUSALS as error:
        form.add_error(None, str(error))
        return _page(request, judgment_set, run, form, status=422)
    messages.success(
        request,
        f"{counted(look.items.count(), 'candidate is', 'candidates are')} in the stage. A "
        "person opens it.",
    )
    return redirect("second-look", ref=str(judgment_set), pk=run.pk)


def _page(
    request: HttpRequest,
    judgment_set: JudgmentSet,
    run: MetricRun,
    form: SecondLookForm,
    status: int = 200,
) -> HttpResponse:
    look = SecondLook.objects.filter(run=run).select_related("stage__study", "made_by").first()
    context: dict[str, object] = {"tab": "judges", "run": run, "form": form, "look": look}
    if look is not None:
        context |= _findings(request, look)
    else:
        context |= _choices(request, judgment_set, run)
    return set_page(
        request,
        "benchmarks/second_looks/second_look.html",
        judgment_set,
        context,
        status=status,
    )


def _findings(request: HttpRequest, look: SecondLook) -> dict[str, object]:
    try:
        findings = services.findings_for(look, request.user)
    except (StudyRoleNeededError, StudyMissingError) as error:
        return {"refused": str(error)}
    return {"findings": findings, "n_items": look.items.count()}


def _choices(request: HttpRequest, judgment_set: JudgmentSet, run: MetricRun) -> dict[str, object]:
    query = ShownQuery.read(request.GET)
    try:
        study = services.study_of(judgment_set, request.user)
        rows = services.disagreements(judgment_set, run, query["count"])
    except REFUSALS as error:
        return {"refused": str(error)}
    chosen = set(request.POST.getlist("candidate")) or {row.candidate.key for row in rows}
    return {"study": study, "rows": rows, "counts": COUNTS, "query": query, "chosen": chosen}
