"""Pages that freeze a study to a judgment set and compare two versions of a set."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Unpack

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.quality.services.rating_data import gold_stages
from annotation.studies.models import Study
from annotation.studies.services.access import RESEARCHERS_ONLY, may_create_studies
from annotation.studies.services.frozen_sets import frozen_sets
from annotation.studies.views.access import person, study_page, study_view
from benchmarks.boards.services import boards
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks
from benchmarks.freezing.inputs import FreezeOptions, NewPairStudy
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import (
    FreezingPreview,
    MixedRatingsError,
    pair_studies,
    visible_set,
)
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, hidden, reports, versions
from benchmarks.sets.views.access import find_set, set_page, set_view
from concord.plots import HistogramPanel, histogram_panels
from core.accounts.roles import Role
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.polling import wants_fragment
from core.pages.queries import FormValues
from core.pages.sending import report_stop, send
from core.refusals import RefusedError

MAX_CHANGES = 200


class FreezeForm(DataclassForm[FreezeOptions]):
    """Aggregation of the gold scores, stages, and the name of the set.

    compares: raters compare candidates, so that there is nothing to aggregate.
    """

    only = ("aggregation", "stages", "name")
    chosen = ("stages",)
    required = ("aggregation",)
    optional = ("name",)
    help_texts = {"aggregation": "", "stages": "", "name": "Lower case, no spaces."}

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        kinds: list[str],
        compares: bool,
        **options: Unpack[FormOptions],
    ) -> None:
        super().__init__(data, **options)
        if compares:
            self.fields["aggregation"].widget = forms.HiddenInput()
        self.set_choices("stages", [(kind, kind) for kind in kinds])


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def freeze_study(request: HttpRequest, study: Study) -> HttpResponse:
    """GET shows the form, and for a small study the preview with the parameters of the URL. POST
    requests the freezing, or with `preview` the preview of a large study."""
    kinds = list(
        study.stages.exclude(kind="qualification").order_by("number").values_list("kind", flat=True)
    )
    initial = {
        "aggregation": study.current.protocol.aggregation,
        "stages": gold_stages(study),
        "name": freezing.default_name(study),
    }
    data = request.POST if request.method == "POST" else request.GET
    compares = study.current.protocol.compares
    form = FreezeForm(data if "aggregation" in data else initial, kinds=kinds, compares=compares)
    status, problem, preview, is_mixed = 200, "", None, False
    is_small = freezing.is_small(study)
    if form.is_valid():
        values = form.cleaned_data
        stages = values["stages"] or gold_stages(study)
        try:
            if request.method == "POST":
                return _request_freezing(request, study, values | {"stages": stages})
            if is_small:
                preview = freezing.preview(study, values["aggregation"], stages)
        except RefusedError as error:
            problem, is_mixed = str(error), isinstance(error, MixedRatingsError)
            status = 422 if request.method == "POST" else 200
    else:
        status = 422
    by_study = Q(report__study__slug=study.slug) | Q(report__pair_studies__has_key=study.slug)
    sets = access.sets_for(request.user).filter(by_study)
    context = {
        "tab": "freeze",
        "form": form,
        "unit": study.current.protocol.unit,
        "only_pairs": freezing.has_only_pairs(study),
        "problem": problem,
        "is_mixed": is_mixed,
        "preview": preview,
        "panels": _panels(preview),
        "is_large": form.is_valid() and not is_small and not problem,
        "active": Freezing.objects.of(study).filter(status__in=Freezing.ACTIVE),
        "versions": sets.order_by("-created_at"),
        "in_progress": study.stages.filter(status="open").exists(),
    }
    return study_page(request, "benchmarks/freezing/freeze.html", study, context, status=status)


@require_safe
@study_view(Role.VIEWER)
def study_freezing(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """The progress of a freezing. A page that polls it is redirected to the set when it is made."""
    job = get_object_or_404(Freezing.objects.of(study), pk=pk)
    judgment_set = visible_set(job, request.user)
    if judgment_set and wants_fragment(request):
        messages.success(request, f"{judgment_set} is frozen. Score metrics on it to see a board.")
        return HttpResponseClientRedirect(judgment_set.get_absolute_url())
    preview = FreezingPreview(**job.preview) if job.preview else None
    context = {
        "tab": "freeze",
        "freezing": job,
        "gold_score": "" if study.current.protocol.compares else DESCRIPTIONS[job.aggregation],
        "judgment_set": judgment_set,
        "preview": preview,
        "panels": _panels(preview),
    }
    return study_page(
        request,
        "benchmarks/freezing/freezing.html",
        study,
        context,
        fragment="benchmarks/freezing/_freezing.html",
    )


@require_POST
@study_view(Role.EDITOR)
def stop_freezing(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    job = get_object_or_404(Freezing.objects.of(study), pk=pk)
    return report_stop(request, job, is_stopped=job.cancel(at=now()))


class PairStudyForm(DataclassForm[NewPairStudy]):
    """The name of a study that collects minimal pairs for a set."""


@require_http_methods(["GET", "HEAD", "POST"])
@set_view(Role.EDITOR)
def collect_pairs(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    """What a study of minimal pairs for the set is. POST creates it."""
    initial = {"slug": pair_studies.free_slug(judgment_set)}
    form = PairStudyForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            if not may_create_studies(request.user):
                raise PermissionDenied(RESEARCHERS_ONLY)
            study = pair_studies.create(
                judgment_set,
                slug=form.cleaned_data["slug"],
                owner=person(request),
                seed=secrets.randbits(62),
                at=now(),
            )
        except RefusedError as error:
            form.add_error(None, str(error))
        except ValidationError as error:
            form.add_error("slug", error.messages)
        else:
            messages.success(
                request,
                f"The private study {study.slug} was created. Upload its minimal pairs, or write "
                "them here.",
            )
            return redirect("study-candidates", study.slug)
    context = {
        "tab": "pairs",
        "form": form,
        "studies": Study.objects.filter(for_set=judgment_set.name, members__user=request.user.pk),
    }
    status = 422 if form.errors else 200
    return set_page(
        request, "benchmarks/freezing/collect_pairs.html", judgment_set, context, status=status
    )


@require_safe
@study_view(Role.VIEWER)
def study_pairs(request: HttpRequest, study: Study) -> HttpResponse:
    """Lead from a study to where minimal pairs for its latest set are collected."""
    names = [reference.partition("@")[0] for reference in frozen_sets(study)]
    if not names:
        messages.info(
            request,
            "Freeze the study first. Then Collect minimal pairs, on its overview, starts a study "
            "of pairs for the set.",
        )
        return redirect("study-freeze", study.slug)
    return redirect("collect-pairs", names[-1])


def _request_freezing(request: HttpRequest, study: Study, values: FormValues) -> HttpResponse:
    """Store the job and send its task after the commit. Raises RefusedError."""
    with transaction.atomic():
        job = freezing.request(
            study,
            values["aggregation"],
            name=values["name"],
            stages=values["stages"],
            is_preview="preview" in request.POST,
            by=person(request),
            at=now(),
        )
        send(request, lambda: tasks.freeze_study.delay(job.pk))
    return redirect(job)


def _panels(preview: FreezingPreview | None) -> list[HistogramPanel]:
    """Histogram of the gold scores by the nearest point of the scale; none of choices."""
    if preview is None or not preview.points:
        return []
    return histogram_panels(preview.points, {"Gold scores": preview.counts})


@require_safe
def compare_versions(request: HttpRequest, ref: str) -> HttpResponse:
    """Compare the set `ref` with the version in ?with=, by default the previous version."""
    second = find_set(ref, request.user)
    every = versions.versions_of(second.name, second.viewer)
    others = [version for version in every if version.version != second.version]
    number = request.GET.get("with", "")
    earlier = [version for version in others if version.version < second.version]
    first = next(iter(earlier or others), None)
    if number:
        first = next((version for version in others if str(version.version) == number), None)
        if first is None:
            raise RefusedError(f"{second.name} has no other version “{number[:20]}”.", "not-found")
    context: dict[str, object] = {"tab": "overview", "versions": others}
    if first is not None:
        comparison = versions.compare(first, second)
        context |= {
            "comparison": comparison,
            "changes": comparison.changes[:MAX_CHANGES],
            "ranking": boards.ranking_changes(first, second),
            "studies": [
                (version, reports.study_report(version), hidden.content_hash(version))
                for version in (first, second)
            ],
        }
    return set_page(request, "benchmarks/freezing/compare_versions.html", second, context)
