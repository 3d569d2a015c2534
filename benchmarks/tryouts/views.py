"""The page "Try": one answer typed in, and what every metric says of it."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from benchmarks.runs.services.weights import HeatMap
from benchmarks.sets.services import access
from benchmarks.sets.views.access import require_sign_in
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from benchmarks.tryouts.forms import TryOutForm, filled
from benchmarks.tryouts.models import TryOut
from benchmarks.tryouts.services import Texts, TryOutRefusedError
from benchmarks.tryouts.services.examples import EXAMPLES, fields_of
from core.pages.errors import MissingError
from core.pages.polling import render_page
from core.pages.sending import send


@require_http_methods(["GET", "HEAD", "POST"])
def try_page(request: HttpRequest) -> HttpResponse:
    """The form. Visitors get the quick metrics at once, and nothing of theirs is stored; those who
    are signed in go on to a try-out, which a worker completes."""
    if request.method != "POST":
        initial = fields_of(request.GET.get("example", ""))
        return _page(request, TryOutForm(initial=initial, user=request.user))
    form = TryOutForm(request.POST, user=request.user)
    if not form.is_valid():
        return _page(request, form, status=422)
    if not request.user.is_authenticated:
        rows = tryouts.quick_rows(form.texts, form.chosen)
        left_out = len(form.chosen) - len(rows)
        return _page(request, form, {"rows": rows, "left_out": left_out})
    try:
        with transaction.atomic():
            made = tryouts.request(form.texts, form.chosen, by=request.user, at=now())
            if made.is_active:
                send(request, lambda: tasks.score_tryout.delay(made.pk))
    except TryOutRefusedError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    return redirect(reverse("tryout", args=[made.pk]) + "#scores")


@require_safe
@require_sign_in
def tryout(request: HttpRequest, pk: int) -> HttpResponse:
    """The scores so far; htmx asks for them alone."""
    found = find_tryout(request, pk)
    shown = {
        "tryout": found,
        "rows": found.scores,
        "to_come": len(found.metrics) - len(found.scores),
        "heat_maps": [HeatMap.of(one) for one in found.weights or ()],
    }
    return _page(request, filled(Texts.of(found.texts), request.user), shown)


def find_tryout(request: HttpRequest, pk: int) -> TryOut:
    """A try-out of one's own. Raises MissingError."""
    try:
        return tryouts.tryout_for(request.user, pk)
    except access.SetMissingError as error:
        raise MissingError(str(error)) from error


def _page(
    request: HttpRequest, form: TryOutForm, shown: dict[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    context = {"form": form, "examples": EXAMPLES, **(shown or {})}
    return render_page(
        request,
        "benchmarks/tryouts/try.html",
        context,
        fragment="benchmarks/tryouts/_scores.html" if "tryout" in context else None,
        status=status,
    )
