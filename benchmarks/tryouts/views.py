"""The page "Try": enter one answer and see its score by each metric."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.runs.services.weights import HeatMap
from benchmarks.sets.services import access
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.forms import TryOutForm, filled_form
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import TryOutRefusedError, TryOutTexts
from benchmarks.tryouts.services.examples import EXAMPLES, example_fields
from core.pages.errors import MissingError
from core.pages.polling import render_page
from core.pages.sending import send


@require_http_methods(["GET", "HEAD", "POST"])
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
    except TryOutRefusedError as error:
        form.add_error(None, str(error))
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
        "to_come": len(job.metrics) - len(job.scores),
        "heat_maps": [HeatMap.from_json(weights) for weights in job.weights or ()],
    }
    return _page(request, filled_form(TryOutTexts.from_values(job.texts), request.user), context)


def find_tryout(request: HttpRequest, pk: int) -> TryOut:
    """A try-out of the account. Raises MissingError."""
    try:
        return tryouts.tryout_for(request.user, pk)
    except access.SetMissingError as error:
        raise MissingError(str(error)) from error


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
