"""Pages of learned metrics: checkpoints, their import, export and deletion."""

from __future__ import annotations

from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

import scorers
from benchmarks.checkpoints import services as checkpoints
from benchmarks.checkpoints.forms import CheckpointImportForm
from benchmarks.checkpoints.model_cards import figures_table, other_figures, weights_bytes
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.checkpoints.services import card_of, require_researcher
from benchmarks.sets.views.access import View
from core.pages.views import add_refusal
from core.refusals import RefusedError
from core.security.declarations import costs
from scorers.learned.card import CheckpointCard, describe_card
from scorers.learned.checkpoint import current_name, shipped_names
from scorers.registry import REGISTRATIONS


def researchers_only(view: View) -> View:
    """Decorate a view: only researchers may see it; visitors are redirected to sign in."""

    @login_required
    @wraps(view)
    def check(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        require_researcher(request.user)
        return view(request, *args, **kwargs)

    return check


@require_safe
def learned_metrics(request: HttpRequest) -> HttpResponse:
    """The checkpoints that ship; researchers also see and import others."""
    return _page(request)


@require_POST
@researchers_only
@costs(files=checkpoints.file_limits)
def import_checkpoint(request: HttpRequest) -> HttpResponse:
    form = CheckpointImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            file = form.cleaned_data["file"]
            checkpoint = checkpoints.import_checkpoint(form.cleaned_data["name"], file, at=now())
        except RefusedError as error:
            add_refusal(form, error)
        else:
            messages.success(request, f"{checkpoint.name} is imported as a metric.")
            return redirect("learned-metrics")
    return _page(request, form, status=422)


@require_safe
@researchers_only
def export_checkpoint(request: HttpRequest, name: str) -> HttpResponse:
    """The checkpoint's folder as a zip file."""
    content = checkpoints.export(name)
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@require_POST
@researchers_only
def delete_checkpoint(request: HttpRequest, name: str) -> HttpResponse:
    checkpoints.delete(name)
    messages.success(request, f"{name} is deleted.")
    return redirect("learned-metrics")


@require_safe
def checkpoint_page(request: HttpRequest, name: str) -> HttpResponseBase:
    """The model card of a checkpoint; everybody may read those that ship with Concord."""
    if current_name(name) in shipped_names():
        return _model_card(request, name)
    return _trained_model_card(request, name)


@researchers_only
def _trained_model_card(request: HttpRequest, name: str) -> HttpResponse:
    return _model_card(request, name)


def _model_card(request: HttpRequest, name: str) -> HttpResponse:
    name = current_name(name)
    card = card_of(name)
    is_metric = card.kind in scorers.names()
    context = _card_context(name, card) | {
        "weights_bytes": weights_bytes(name),
        "metric": card.kind if is_metric else "",
        "used_by": [] if is_metric else _metrics_with_predictor(name),
    }
    return render(request, "benchmarks/checkpoints/checkpoint.html", context)


def _metrics_with_predictor(name: str) -> list[str]:
    """The metrics that read this keyphrase predictor by default."""
    return [
        registration.name
        for registration in REGISTRATIONS
        if "predictor" in registration.options and registration.options["predictor"].default == name
    ]


def _checkpoint_context(name: str) -> dict[str, object]:
    return _card_context(name, card_of(name))


def _card_context(name: str, card: CheckpointCard) -> dict[str, object]:
    return {
        "card": card,
        "name": name,
        "is_shipped": name in shipped_names(),
        "description": describe_card(card),
        "results": figures_table(card),
        "other_figures": other_figures(card),
    }


def _page(
    request: HttpRequest, form: CheckpointImportForm | None = None, status: int = 200
) -> HttpResponse:
    is_researcher = request.user.is_staff
    stored = Checkpoint.objects.all() if is_researcher else Checkpoint.objects.none()
    context = {
        "is_researcher": is_researcher,
        "checkpoints": [
            _checkpoint_context(name)
            for name in (*stored.values_list("name", flat=True), *shipped_names())
        ],
        "form": form or CheckpointImportForm(),
    }
    return render(request, "benchmarks/checkpoints/learned_metrics.html", context, status=status)
