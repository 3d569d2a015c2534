"""The planner: raters, items and money for a wanted width of alpha's interval."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.stages.services.forecasts import Wanted, forecast
from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from concord.planning.plan import PlanError
from concord.planning.plot import plan_plot
from concord.reliability import LEVELS
from core.accounts.roles import Role

SO_FAR, DESCRIBED = "ratings", "described"


class PlanForm(forms.Form):
    """What is wanted, and what raters are taken to be like."""

    width = forms.FloatField(
        label="Wanted width",
        initial=0.1,
        min_value=0.01,
        max_value=1,
        help_text="of alpha's 95% interval, end to end",
    )
    fee = forms.FloatField(
        label="Platform fee, %",
        initial=20,
        min_value=0,
        max_value=200,
        help_text="of each assignment's pay, rounded up to a cent",
    )
    level = forms.ChoiceField(
        label="Alpha", choices=[(name, name) for name in LEVELS], initial="ordinal"
    )
    source = forms.ChoiceField(
        label="Raters",
        choices=[(SO_FAR, "as in the ratings so far"), (DESCRIBED, "as described here")],
        initial=DESCRIBED,
    )
    ability = forms.FloatField(
        label="Ability", initial=0.8, min_value=0, max_value=1, help_text="share of no guesses"
    )
    noise = forms.FloatField(
        label="Noise", initial=0.6, min_value=0, max_value=10, help_text="SD, in scale points"
    )
    spam = forms.FloatField(
        label="Spam", initial=0.05, min_value=0, max_value=1, help_text="share of spammers"
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if isinstance(field, forms.FloatField):
                field.widget.attrs["step"] = "any"


@require_safe
@study_view(Role.VIEWER)
def planner(request: HttpRequest, study: Study) -> HttpResponse:
    """The grid of raters and items for the study's pay and scale; the form's fields by GET."""
    protocol = study.current.protocol
    form = PlanForm(_filled(request))
    context: dict[str, Any] = {"tab": "cost", "form": form, "protocol": protocol}
    if form.is_valid():
        values = form.cleaned_data
        try:
            found = forecast(study, Wanted(**values))
            context |= {"plan": found, "plot": plan_plot(found), "values": values}
        except PlanError as error:
            context["problem"] = str(error)
    status = 200 if form.is_valid() else 422
    return study_page(request, "annotation/stages/planner.html", study, context, status=status)


def _filled(request: HttpRequest) -> dict[str, str]:
    """What the address gives, and the usual values for what it leaves out."""
    usual = {name: str(field.initial) for name, field in PlanForm.base_fields.items()}
    return usual | {name: request.GET[name] for name in usual if name in request.GET}
