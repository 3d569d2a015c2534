"""Pages of a study's candidates: upload, choice of columns, summary, import."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from annotation.studies import tasks
from annotation.studies.errors import UploadError
from annotation.studies.forms import CandidateImportForm, PairForm, UploadForm
from annotation.studies.models import (
    CandidateImport,
    Stage,
    Study,
    StudyCandidate,
    StudyInstance,
    Upload,
)
from annotation.studies.services import (
    candidate_imports,
    checks,
    removing,
    upload_rows,
    uploads,
)
from annotation.studies.services.candidate_counts import count_candidates, texts_of
from annotation.studies.services.candidates import PAIRS, PAIRS_TOO_LATE, has_begun
from annotation.studies.views.access import person, study_page, study_view
from concord.sentences import counted
from core.accounts.roles import Role
from core.pages.column_form import ColumnsForm
from core.pages.polling import wants_fragment
from core.pages.sending import report_stop, send
from core.pages.views import refusals_to
from core.security.declarations import costs

INSTANCES_SHOWN = 30
# Page labels of the keys of `CandidateImport.counts`; other keys are reasons for exclusion.
COUNT_LABELS = {
    "taken": "added",
    "pairs taken": "minimal pairs added",
    "sharing another's ratings": "sharing the ratings of another candidate",
    "of earlier files, left out now": "of earlier files left out now",
    "of earlier files, taken now": "of earlier files added now",
    "pairs to compare": "pairs to compare",
    "sets to compare": "sets to compare",
}


@require_safe
@study_view(Role.VIEWER)
def candidates(request: HttpRequest, study: Study) -> HttpResponse:
    initial = {"use": PAIRS} if study.for_set else {}
    return _page(request, study, UploadForm(initial=initial), PairForm())


@require_POST
@study_view(Role.EDITOR)
@costs(files=uploads.file_limits)
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, form, PairForm(), status=422)
    values = form.cleaned_data
    if values["use"] == PAIRS and has_begun(study, StudyCandidate.Use.RATED):
        return _collect_pairs_elsewhere(request, study)
    try:
        stored = uploads.store_upload(
            study,
            values["file"].name,
            values["file"].read(),
            values["format"],
            values["use"],
            by=person(request),
            at=now(),
        )
    except UploadError as error:
        form.add_error("file", error.for_field())
        return _page(request, study, form, PairForm(), refusal=error, status=422)
    uploads.guess_columns(stored)
    return redirect("study-upload", study.slug, stored.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def upload_detail(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """The choice of a table's columns, or a summary of the file. POST stores the columns."""
    row = _upload(study, pk)
    if active := uploads.active_import(row):
        return redirect(active)
    asked = request.method == "POST" or {"columns", "sheet"} & request.GET.keys()
    try:
        if upload_rows.is_table(row) and (asked or uploads.needs_columns(row)):
            return _columns(request, study, row)
        uploads.check_keys(row)
        summary = upload_rows.summarise(row)
    except UploadError as error:
        context: dict[str, object] = {"upload": row, "refusal": error}
        return _upload_page(request, study, context, status=422)
    names = [name for name, _ in summary.constituents]
    initial = {
        "span_based": summary.likely_span_based(),
        "draw_questions": study.current.protocol.draw_questions,
    }
    form = CandidateImportForm(constituents=names, initial=initial)
    return _upload_page(request, study, {"upload": row, "contents": summary, "form": form})


@require_POST
@study_view(Role.EDITOR)
def import_upload(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Start the import of the file's candidates and redirect to its progress."""
    row = _upload(study, pk)
    form = CandidateImportForm(request.POST, constituents=request.POST.getlist("span_based"))
    try:
        if form.is_valid():
            with transaction.atomic():
                job = candidate_imports.request(
                    row, **asdict(form.value()), by=person(request), at=now()
                )
                send(request, lambda: tasks.import_candidates.delay(job.pk))
            return redirect(job)
        summary = upload_rows.summarise(row)
    except UploadError as error:
        context = {"upload": row, "refusal": error}
        return _upload_page(request, study, context, status=422)
    form = CandidateImportForm(
        request.POST, constituents=[name for name, _ in summary.constituents]
    )
    context = {"upload": row, "contents": summary, "form": form}
    return _upload_page(request, study, context, status=422)


@require_safe
@study_view(Role.VIEWER)
def candidate_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Progress of an import. When it is complete, polling pages go to the next step."""
    job = get_object_or_404(study.candidate_imports, pk=pk)
    counts = labelled_counts(job)
    if counts and wants_fragment(request):
        return HttpResponseClientRedirect(reverse("study-after-import", args=[study.slug, pk]))
    context = {
        "tab": "candidates",
        "import": job,
        "counts": counts,
        "problems": job.reason.split("\n"),
    }
    return study_page(
        request,
        "annotation/studies/candidate_import.html",
        study,
        context,
        fragment="annotation/studies/_candidate_import.html",
    )


def labelled_counts(job: CandidateImport) -> list[tuple[int, str]]:
    """The counts of a completed import with their labels; empty before."""
    return [
        (count, COUNT_LABELS.get(name, f"left out ({name})"))
        for name, count in (job.counts or {}).items()
        if count
    ]


@require_POST
@study_view(Role.EDITOR)
def stop_candidate_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    job = get_object_or_404(study.candidate_imports, pk=pk)
    return report_stop(request, job, is_stopped=job.cancel(at=now()))


@require_POST
@refusals_to("study-candidates", "slug")
@study_view(Role.EDITOR)
def take_out_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Delete the candidates that an import added."""
    job = get_object_or_404(study.candidate_imports, pk=pk)
    count = removing.take_out(job, by=person(request))
    taken = counted(count, "candidate was", "candidates were")
    messages.success(request, f"{job.name}: {taken} taken out.")
    return redirect("study-candidates", study.slug)


@require_POST
@study_view(Role.EDITOR)
def discard_upload(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    uploads.discard(_upload(study, pk), at=now())
    messages.success(request, "The file was discarded. No candidates were added.")
    return redirect("study-candidates", study.slug)


@require_POST
@study_view(Role.EDITOR)
def write_pair(request: HttpRequest, study: Study) -> HttpResponse:
    form = PairForm(request.POST)
    if form.is_valid():
        if has_begun(study, StudyCandidate.Use.RATED):
            return _collect_pairs_elsewhere(request, study)
        pair = form.value()
        try:
            key = uploads.write_pair(study, pair.instance, pair.better, pair.worse, pair.phenomenon)
        except UploadError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"The minimal pair {key} was added.")
            return redirect("study-candidates", study.slug)
    return _page(request, study, UploadForm(), form, status=422)


def _collect_pairs_elsewhere(request: HttpRequest, study: Study) -> HttpResponse:
    """Lead to where pairs can be collected after the collection has begun."""
    messages.info(request, PAIRS_TOO_LATE)
    return redirect("study-pairs", study.slug)


def _columns(request: HttpRequest, study: Study, row: Upload) -> HttpResponse:
    """The choice of columns, of another sheet if one is requested. Raises UploadError."""
    sheet = (request.POST if request.method == "POST" else request.GET).get("sheet") or None
    table = uploads.preview(row, sheet)
    data = request.POST if request.method == "POST" else None
    form = ColumnsForm(data, table=table, chosen=table["meanings"], keys=row.use in checks.USES)
    refusal = None
    if request.method == "POST" and form.is_valid():
        try:
            uploads.choose_columns(row, form.meanings(), sheet)
        except UploadError as error:
            form.add_error(None, "These columns give no valid candidates: see the rows below.")
            refusal = error
        else:
            return redirect("study-upload", study.slug, row.pk)
    context = {"upload": row, "form": form, "choosing": True, "refusal": refusal}
    return _upload_page(request, study, context, status=422 if form.errors else 200)


def _upload(study: Study, pk: int) -> Upload:
    row = study.uploads.filter(pk=pk).first()
    if row is None:
        raise Http404("This file has been imported or discarded.")
    return row


def _upload_page(
    request: HttpRequest,
    study: Study,
    context: dict[str, Any],  # the template's; it has `upload`
    status: int = 200,
) -> HttpResponse:
    upload = context["upload"]
    context |= {
        "tab": "candidates",
        "use_title": uploads.USES.get(upload.use, ""),
        "is_table": upload_rows.is_table(upload),
    }
    return study_page(request, "annotation/studies/upload.html", study, context, status=status)


def _page(
    request: HttpRequest,
    study: Study,
    form: UploadForm,
    pair_form: PairForm,
    refusal: UploadError | None = None,
    status: int = 200,
) -> HttpResponse:
    instances = StudyInstance.objects.filter(study=study).order_by("pk")[:INSTANCES_SHOWN]
    pairs = study.candidates.exclude(pair="").select_related("instance").order_by("position")
    context = {
        "tab": "candidates",
        "form": form,
        "pair_form": pair_form,
        "refusal": refusal,
        "totals": count_candidates(study),
        "waiting": study.uploads.defer("content"),
        "active": study.candidate_imports.filter(status__in=CandidateImport.ACTIVE),
        "added_files": removing.added_files(study),
        "pairs": pairs[:60],
        "instances": instances,
        "texts": texts_of(instances),
        "first": study.candidates.select_related("instance", "same_as")[:5],
        "begun": study.stages.exclude(status=Stage.Status.PLANNED).exists(),
    }
    return study_page(request, "annotation/studies/candidates.html", study, context, status=status)
