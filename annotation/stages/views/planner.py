"""The planner: raters, items and cost for a target width of alpha's interval."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.stages.services.forecasts import ForecastOptions, candidates_per_hit, forecast
from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from concord.planning.plan import PlanError
from concord.planning.plot import plan_plot
from concord.reliability import LEVELS
from core.accounts.roles import Role

SO_FAR, DESCRIBED = "ratings", "described"


class PlanForm(forms.Form):
    """The target width, and assumptions about the raters."""

    width = forms.FloatField(
        label="Target width",
        initial=0.1,
        min_value=0.01,
        max_value=1,
        help_text="Width of alpha's 95% interval",
    )
    fee = forms.FloatField(
        label="Platform fee, %",
        initial=20,
        min_value=0,
        max_value=200,
        help_text="Percentage of each assignment's pay, rounded up to a cent",
    )
    level = forms.ChoiceField(
        label="Alpha", choices=[(name, name) for name in LEVELS], initial="ordinal"
    )
    source = forms.ChoiceField(
        label="Raters",
        choices=[(SO_FAR, "As in the ratings so far"), (DESCRIBED, "As described here")],
        initial=DESCRIBED,
    )
    ability = forms.FloatField(
        label="Ability",
        initial=0.8,
        min_value=0,
        max_value=1,
        help_text="Share of ratings that are not guessed",
    )
    noise = forms.FloatField(
        label="Noise", initial=0.6, min_value=0, max_value=10, help_text="SD in scale points"
    )
    spam = forms.FloatField(
        label="Spam", initial=0.05, min_value=0, max_value=1, help_text="Share of spammers"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field, forms.FloatField):
                field.widget.attrs["step"] = "any"


@require_safe
@study_view(Role.VIEWER)
def planner(request: HttpRequest, study: Study) -> HttpResponse:
    """The grid of raters and items for the study's pay and scale. The form uses GET."""
    protocol = study.current.protocol
    form = PlanForm(_with_defaults(request))
    context: dict[str, Any] = {
        "tab": "cost",
        "form": form,
        "protocol": protocol,
        "candidates_per_hit": candidates_per_hit(study),
    }
    if form.is_valid():
        values = form.cleaned_data
        try:
            plan = forecast(study, ForecastOptions(**values))
            context |= {"plan": plan, "plot": plan_plot(plan), "values": values}
        except PlanError as error:
            context["problem"] = str(error)
    status = 200 if form.is_valid() else 422
    return study_page(request, "annotation/stages/planner.html", study, context, status=status)


def _with_defaults(request: HttpRequest) -> dict[str, str]:
    """The query's values, completed by the form's initial values."""
    defaults = {name: str(field.initial) for name, field in PlanForm.base_fields.items()}
    return defaults | {name: request.GET[name] for name in defaults if name in request.GET}
