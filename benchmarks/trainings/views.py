"""Pages of learned metrics: trainings, checkpoints, import and export."""

from __future__ import annotations

from functools import wraps

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

import scorers
from benchmarks.sets.services import access
from benchmarks.sets.views.access import View
from benchmarks.trainings import services as trainings
from benchmarks.trainings import tasks
from benchmarks.trainings.forms import CheckpointImportForm, TrainingForm
from benchmarks.trainings.models import Checkpoint, Training
from benchmarks.trainings.services import KINDS, TrainingRefusedError
from benchmarks.trainings.services.access import require_researcher, training_for, trainings_of
from benchmarks.trainings.services.checkpoints import card_of
from benchmarks.trainings.services.model_cards import (
    figures_table,
    other_figures,
    weights_bytes,
)
from concord.plots.training import training_plots
from concord.sentences import to_sentence
from core.accounts.views.shared import person
from core.pages.errors import MissingError
from core.pages.polling import render_page
from core.pages.sending import send
from scorers.errors import CheckpointError
from scorers.judges.descriptions import describe_card
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import current_name, shipped_names
from scorers.registry import REGISTRATIONS
from scorers.training_defaults import training_defaults


def researchers_only(view: View) -> View:
    """Decorate a view: only researchers may see it; visitors are redirected to sign in."""

    @login_required
    @wraps(view)
    def check(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            require_researcher(request.user)
        except access.SetRoleNeededError as error:
            raise PermissionDenied(str(error)) from error
        return view(request, *args, **kwargs)

    return check


@require_safe
def learned_metrics(request: HttpRequest) -> HttpResponse:
    """The learned metrics; researchers also see and start trainings."""
    return _page(request)


@require_safe
@researchers_only
def new_training(request: HttpRequest, kind: str) -> HttpResponse:
    form = _form(request, kind)
    form.initial["pretrained"] = request.GET.get("pretrained", "")
    return _form_page(request, form)


@require_POST
@researchers_only
def start_training(request: HttpRequest, kind: str) -> HttpResponse:
    form = _form(request, kind, request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, form, status=422)
    values = form.cleaned_data
    sets = [row for row in access.sets_for(request.user) if str(row.pk) in values.get("sets", ())]
    try:
        with transaction.atomic():
            training = trainings.request(
                values["name"],
                kind,
                values["choices"],
                sets,
                form.uploads(),
                by=person(request),
                at=now(),
            )
            send(request, lambda: tasks.train.delay(training.pk))
    except TrainingRefusedError as error:
        form.add_error(error.field if error.field in form.fields else None, to_sentence(error))
        return _form_page(request, form, status=422)
    messages.success(request, f"{training.name} is queued.")
    return redirect("training", pk=training.pk)


@require_safe
@researchers_only
def training_page(request: HttpRequest, pk: int) -> HttpResponse:
    training = find_training(request, pk)
    context = {
        "training": training,
        "kind": KINDS[training.kind],
        "sets": list(training.judgment_sets.order_by("pk")),
        "plots": training_plots(training.curves, training_defaults(training.kind).best_by),
        "choices": sorted(training.choices.items()),
        **(_checkpoint_context(training.checkpoint.name) if training.checkpoint else {}),
    }
    return render_page(
        request,
        "benchmarks/trainings/training.html",
        context,
        fragment="benchmarks/trainings/_training.html",
    )


@require_POST
@researchers_only
def change_training(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop, resume or delete a training, as `do` says."""
    training, do = find_training(request, pk), request.POST.get("do", "")
    if do == "stop" and trainings.stop(training, at=now()):
        messages.success(request, f"{training.name} is stopped. You can resume it.")
    elif do == "resume":
        with transaction.atomic():
            if trainings.resume(training, at=now()):
                send(request, lambda: tasks.train.delay(training.pk))
                messages.success(request, f"{training.name} is resumed.")
    elif do == "delete" and trainings.delete(training):
        messages.success(request, f"{training.name} is deleted.")
        return redirect("learned-metrics")
    else:
        messages.info(
            request, f"{training.name} is {training.status}: this action is not possible."
        )
    return redirect("training", pk=training.pk)


@require_POST
@researchers_only
def import_checkpoint(request: HttpRequest) -> HttpResponse:
    form = CheckpointImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            file = form.cleaned_data["file"]
            checkpoint = trainings.import_checkpoint(form.cleaned_data["name"], file, at=now())
        except TrainingRefusedError as error:
            form.add_error(error.field if error.field in form.fields else None, to_sentence(error))
        else:
            messages.success(request, f"{checkpoint.name} is imported as a metric.")
            return redirect("learned-metrics")
    return _page(request, form, status=422)


@require_safe
@researchers_only
def export_checkpoint(request: HttpRequest, name: str) -> HttpResponse:
    """The checkpoint's folder as a zip file."""
    try:
        content = trainings.export(name)
    except CheckpointError as error:
        raise MissingError(to_sentence(error)) from error
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


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
    try:
        card = card_of(name)
    except CheckpointError as error:
        raise MissingError(to_sentence(error)) from error
    is_metric = card.kind in scorers.names()
    context = _card_context(name, card) | {
        "weights_bytes": weights_bytes(name),
        "metric": card.kind if is_metric else "",
        "used_by": [] if is_metric else _metrics_with_predictor(name),
    }
    return render(request, "benchmarks/trainings/checkpoint.html", context)


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
    checkpoints = Checkpoint.objects.all() if is_researcher else Checkpoint.objects.none()
    context = {
        "is_researcher": is_researcher,
        "trainings": list(trainings_of(request.user)) if is_researcher else [],
        "checkpoints": [
            _checkpoint_context(name)
            for name in (*checkpoints.values_list("name", flat=True), *shipped_names())
        ],
        "kinds": KINDS.items(),
        "form": form or CheckpointImportForm(),
    }
    return render(request, "benchmarks/trainings/learned_metrics.html", context, status=status)


def _form_page(request: HttpRequest, form: TrainingForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "kinds": KINDS.items(), "kind": KINDS[form.kind]}
    return render(request, "benchmarks/trainings/new_training.html", context, status=status)


def _form(
    request: HttpRequest,
    kind: str,
    data: QueryDict | None = None,
    files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
) -> TrainingForm:
    if kind not in KINDS:
        raise MissingError(f"There is no training of kind {kind}. Kinds: {', '.join(KINDS)}.")
    return TrainingForm(data, files, kind=kind, sets=access.sets_for(request.user))


def find_training(request: HttpRequest, pk: int) -> Training:
    """A training that the account may see. Raises MissingError."""
    try:
        return training_for(request.user, pk)
    except access.SetMissingError as error:
        raise MissingError(str(error)) from error
