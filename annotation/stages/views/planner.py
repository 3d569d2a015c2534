"""The planner: raters, items and cost for a target width of alpha's interval."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.stages.services.forecasts import ForecastOptions, candidates_per_hit, forecast
from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from concord.planning.plan import PlanError
from concord.planning.plot import plan_plot
from core.accounts.roles import Role
from core.pages.derived import DataclassForm


class PlanForm(DataclassForm[ForecastOptions]):
    """The target width, and assumptions about the raters."""

    help_texts = {"source": ""}


@require_safe
@study_view(Role.VIEWER)
def planner(request: HttpRequest, study: Study) -> HttpResponse:
    """The grid of raters and items for the study's pay and scale. The form uses GET."""
    protocol = study.current.protocol
    form = PlanForm(_with_defaults(request))
    context: dict[str, object] = {
        "tab": "cost",
        "form": form,
        "protocol": protocol,
        "candidates_per_hit": candidates_per_hit(study),
    }
    if form.is_valid():
        values = form.cleaned_data
        try:
            plan = forecast(study, form.value())
            context |= {"plan": plan, "plot": plan_plot(plan), "values": values}
        except PlanError as error:
            context["problem"] = str(error)
    status = 200 if form.is_valid() else 422
    return study_page(request, "annotation/stages/planner.html", study, context, status=status)


def _with_defaults(request: HttpRequest) -> dict[str, str]:
    """The query's values, completed by the form's initial values."""
    defaults = {name: str(field.initial) for name, field in PlanForm.base_fields.items()}
    return defaults | {name: request.GET[name] for name in defaults if name in request.GET}
