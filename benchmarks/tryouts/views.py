"""The page "Try": enter one answer and see its score by each metric."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

import scorers
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import TryOutTexts
from benchmarks.tryouts.services.examples import EXAMPLES, example_fields
from benchmarks.tryouts.services.heat_maps import HeatMap
from benchmarks.tryouts.services.texts import MAX_REFERENCES, NewTryOut
from concord.sentences import to_sentence
from core.accounts.roles import SiteUser
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.polling import render_page
from core.pages.sending import send
from core.pages.views import add_refusal
from core.refusals import RefusedError
from core.security.declarations import costs
from scorers import Metric


class TryOutForm(DataclassForm[NewTryOut]):
    """An answer to score, with the properties `texts` and `selected_metrics` of a valid form."""

    help_texts = {"references": f"Correct answers, one per line, at most {MAX_REFERENCES}."}
    heights = {"passage": 5, "references": 2, "candidate": 2}
    widgets = {"metrics": forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})}
    field_order = ("passage", "question", "references", "candidate", "metrics")

    def __init__(
        self, data: QueryDict | None = None, *, user: SiteUser, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.user = user

    def clean_metrics(self) -> list[Metric]:
        try:
            return tryouts.select_metrics(self.cleaned_data["metrics"], self.user)
        except (scorers.MetricError, scorers.ModelError) as error:
            raise forms.ValidationError(to_sentence(error)) from error

    @property
    def texts(self) -> TryOutTexts:
        return TryOutTexts.from_values(self.cleaned_data)

    @property
    def selected_metrics(self) -> list[Metric]:
        metrics: list[Metric] = self.cleaned_data["metrics"]
        return metrics


def filled_form(values: TryOutTexts, user: SiteUser) -> TryOutForm:
    """The form with these texts."""
    return TryOutForm(initial={**values.to_json()}, user=user)


@require_http_methods(["GET", "HEAD", "POST"])
@costs("try")
def try_page(request: HttpRequest) -> HttpResponse:
    """The form. Visitors get only the scores of the quick metrics, and nothing is stored. Signed-in
    people are redirected to a try-out, which a worker completes."""
    if request.method != "POST":
        initial = example_fields(request.GET.get("example", ""))
        return _page(request, TryOutForm(initial=initial, user=request.user))
    form = TryOutForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, form, status=422)
    if not request.user.is_authenticated:
        rows = tryouts.quick_rows(form.texts, form.selected_metrics)
        n_omitted = len(form.selected_metrics) - len(rows)
        return _page(request, form, {"rows": rows, "left_out": n_omitted})
    try:
        with transaction.atomic():
            job = tryouts.request(form.texts, form.selected_metrics, by=request.user, at=now())
            if job.is_active:
                send(request, lambda: tasks.score_tryout.delay(job.pk))
    except RefusedError as error:
        add_refusal(form, error)
        return _page(request, form, status=422)
    return redirect(reverse("tryout", args=[job.pk]) + "#scores")


@require_safe
@login_required
def tryout(request: HttpRequest, pk: int) -> HttpResponse:
    """The scores so far; for a request of htmx only these."""
    job = find_tryout(request, pk)
    context = {
        "tryout": job,
        "rows": job.scores,
        "to_come": job.total - job.done,
        "heat_maps": [HeatMap.from_json(weights) for weights in job.weights or ()],
    }
    return _page(request, filled_form(TryOutTexts.from_values(job.texts), request.user), context)


def find_tryout(request: HttpRequest, pk: int) -> TryOut:
    """A try-out of the account. Raises RefusedError."""
    return tryouts.tryout_for(request.user, pk)


def _page(
    request: HttpRequest,
    form: TryOutForm,
    extra: dict[str, object] | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "examples": EXAMPLES, **(extra or {})}
    return render_page(
        request,
        "benchmarks/tryouts/try.html",
        context,
        fragment="benchmarks/tryouts/_scores.html" if "tryout" in context else None,
        status=status,
    )
