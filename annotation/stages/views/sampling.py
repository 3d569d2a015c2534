"""How the full stage draws what people rate: setting the rule, and what its waves found."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST

from annotation.stages import score_files
from annotation.stages.forms import SamplingForm
from annotation.stages.inputs import AIMS, STORED_RULES, TARGETS
from annotation.stages.models import StageSampling
from annotation.stages.score_files import read_upload
from annotation.stages.services import continuing, sampling_rules
from annotation.stages.services.sampling_figures import sampling_figures
from annotation.stages.views.stages import find_stage
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from concord.documents.sampling import LookDocument
from concord.formats import FormatError
from concord.plots import LinePlot, line_plot
from concord.sentences import counted
from core.accounts.roles import Role
from core.pages.views import refusals_to
from core.refusals import RefusedError
from core.security.declarations import costs


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, Role.EDITOR)
@costs(files=score_files.file_limits)
def sampling(request: HttpRequest, study: Study) -> HttpResponse:
    stage = find_stage(study, Stage.Kind.FULL)
    if request.method != "POST":
        return _page(request, study, stage, SamplingForm())
    form = SamplingForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            sampling_rules.set_sampling(
                stage,
                form.sampling_rule,
                form.stopping_rule,
                form.cleaned_data["wave_size"],
                read_upload(form.cleaned_data["scores"]),
                by=person(request),
                at=now(),
            )
        except (RefusedError, FormatError) as error:
            form.add_error("scores", str(error))
        else:
            messages.success(request, "The full stage will draw what people rate, in waves.")
            return redirect("study-sampling", study.slug)
    return _page(request, study, stage, form, status=422)


@require_POST
@refusals_to("study-sampling", "slug")
@study_view(Role.EDITOR)
def remove_sampling(request: HttpRequest, study: Study) -> HttpResponse:
    sampling_rules.remove_sampling(find_stage(study, Stage.Kind.FULL), by=person(request))
    messages.success(request, "The full stage will rate every candidate.")
    return redirect("study-sampling", study.slug)


@require_POST
@refusals_to("study-sampling", "slug")
@study_view(Role.EDITOR)
def continue_sampling(request: HttpRequest, study: Study) -> HttpResponse:
    continuing.continue_now(sampling_rules.require_sampling(study), at=now())
    messages.success(request, "The sampling went on.")
    return redirect("study-sampling", study.slug)


def _page(
    request: HttpRequest, study: Study, stage: Stage, form: forms.Form, *, status: int = 200
) -> HttpResponse:
    design = sampling_rules.sampling_of(stage)
    context: dict[str, object] = {
        "tab": "sampling",
        "stage": stage,
        "form": form,
        "is_open": stage.status == Stage.Status.OPEN,
        "may_change": not stage.hits.exists(),
    }
    if design is not None:
        context |= _figures(design)
    return study_page(
        request,
        "annotation/stages/sampling.html",
        study,
        context,
        fragment="annotation/stages/_sampling.html",
        status=status,
    )


def _figures(design: StageSampling) -> dict[str, object]:
    """The design in words, and its looks, the last first."""
    rule, stopping = design.rule, design.stopping_rule
    last = design.looks[-1] if design.looks else None
    figures = sampling_figures(design)
    return {
        "design": design,
        "figures": figures,
        "rule": STORED_RULES[rule["name"]],
        "aim": "" if rule["name"] == "uniform" else AIMS[rule["aim"]],
        "target": TARGETS[stopping.kind],
        "stopping": stopping,
        "protocol": design.stage.study.current.protocol,
        "looks": [*reversed(design.looks)],
        "last": last,
        "systems": [] if last is None else sorted(last["systems"].items()),
        "plot": _plot(design.looks),
    }


def _plot(looks: list[LookDocument]) -> LinePlot | None:
    """The widest interval by instances rated."""
    known = [(each["units"], each["width"]) for each in looks if each["width"] is not None]
    if not known:
        return None
    units, widths = map(list, zip(*known, strict=True))
    return line_plot(
        units,
        widths,
        ([0.0] * len(widths), widths),
        [f"{counted(n, 'instance')}: {width:.2f}" for n, width in known],
        x_name="instances rated",
        y_name="widest interval",
        ends=(0.0, max(widths)),
    )
