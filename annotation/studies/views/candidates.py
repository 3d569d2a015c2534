"""Candidates: upload, columns, what the file holds, and what became of it."""

from __future__ import annotations

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
from annotation.studies.forms import ColumnsForm, PairForm, TakeInForm, UploadForm
from annotation.studies.models import CandidateImport, Stage, Study, StudyInstance, Upload
from annotation.studies.services import candidate_imports, uploads
from annotation.studies.services.uploads import UploadError
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.polling import wants_fragment
from core.pages.sending import report_stop, send

ROWS_SHOWN = 4
INSTANCES_SHOWN = 30


@require_safe
@study_view(Role.VIEWER)
def candidates(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, UploadForm(), PairForm())


@require_POST
@study_view(Role.EDITOR)
def upload(request: HttpRequest, study: Study) -> HttpResponse:
    form = UploadForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, study, form, PairForm(), status=422)
    given = form.cleaned_data
    try:
        kept = uploads.keep_upload(
            study,
            given["file"].name,
            given["file"].read(),
            given["format"],
            given["use"],
            by=person(request),
            at=now(),
        )
    except UploadError as error:
        form.add_error("file", str(error).split("\n"))
        return _page(request, study, form, PairForm(), status=422)
    return redirect("study-upload", study.slug, kept.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def upload_detail(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """The file's columns first, for a CSV; then what it holds. POST chooses the columns."""
    kept = _upload(study, pk)
    if active := uploads.active_import(kept):
        return redirect(active)
    choosing = request.method == "POST" or "columns" in request.GET or uploads.needs_columns(kept)
    if kept.format == uploads.CSV and choosing:
        return _columns(request, study, kept)
    try:
        contents = uploads.look_into(kept)
    except UploadError as error:
        context: dict[str, Any] = {"upload": kept, "problems": str(error).split("\n")}
        return _upload_page(request, study, context, status=422)
    names = [name for name, _ in contents.constituents]
    initial = {
        "span_based": contents.span_guess(),
        "draw_questions": study.current.protocol.draw_questions,
    }
    form = TakeInForm(constituents=names, initial=initial)
    return _upload_page(request, study, {"upload": kept, "contents": contents, "form": form})


@require_POST
@study_view(Role.EDITOR)
def take_in(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask for the import of the file's candidates; its page shows how far it is."""
    kept = _upload(study, pk)
    form = TakeInForm(request.POST, constituents=request.POST.getlist("span_based"))
    try:
        if form.is_valid():
            with transaction.atomic():
                asked = candidate_imports.request(
                    kept, **form.cleaned_data, by=person(request), at=now()
                )
                send(request, lambda: tasks.import_candidates.delay(asked.pk))
            return redirect(asked)
        contents = uploads.look_into(kept)
    except UploadError as error:
        context = {"upload": kept, "problems": str(error).split("\n")}
        return _upload_page(request, study, context, status=422)
    form = TakeInForm(request.POST, constituents=[name for name, _ in contents.constituents])
    shown = {"upload": kept, "contents": contents, "form": form}
    return _upload_page(request, study, shown, status=422)


@require_safe
@study_view(Role.VIEWER)
def candidate_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """How far it is; a page that followed it goes on to the candidates once they are added."""
    found = get_object_or_404(study.candidate_imports, pk=pk)
    counts = [(count, what) for what, count in (found.counts or {}).items() if count]
    if counts and wants_fragment(request):
        told = "; ".join(f"{count:,} {what}" for count, what in counts)
        messages.success(request, f"{found.name}: {told}.")
        return HttpResponseClientRedirect(reverse("study-candidates", args=[study.slug]))
    context = {
        "tab": "candidates",
        "import": found,
        "counts": counts,
        "problems": found.reason.split("\n"),
    }
    return study_page(
        request,
        "annotation/studies/candidate_import.html",
        study,
        context,
        fragment="annotation/studies/_candidate_import.html",
    )


@require_POST
@study_view(Role.EDITOR)
def stop_candidate_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    job = get_object_or_404(study.candidate_imports, pk=pk)
    return report_stop(request, job, is_stopped=job.cancel(at=now()))


@require_POST
@study_view(Role.EDITOR)
def discard_upload(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    uploads.discard(_upload(study, pk), at=now())
    messages.success(request, "The file was put aside; nothing of it was taken in.")
    return redirect("study-candidates", study.slug)


@require_POST
@study_view(Role.EDITOR)
def write_pair(request: HttpRequest, study: Study) -> HttpResponse:
    form = PairForm(request.POST)
    if form.is_valid():
        given = form.cleaned_data
        try:
            key = uploads.write_pair(
                study, given["instance"], given["better"], given["worse"], given["phenomenon"]
            )
        except UploadError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"The minimal pair {key} is added.")
            return redirect("study-candidates", study.slug)
    return _page(request, study, UploadForm(), form, status=422)


def _columns(request: HttpRequest, study: Study, kept: Upload) -> HttpResponse:
    table = uploads.table_of(kept)
    header = list(table.header)
    form = ColumnsForm(request.POST if request.method == "POST" else None, header=header)
    if request.method == "POST" and form.is_valid():
        try:
            uploads.choose_columns(kept, form.meanings())
        except UploadError as error:
            form.add_error(None, str(error).split("\n"))
        else:
            return redirect("study-upload", study.slug, kept.pk)
    rows = [[row[at] for row in table.rows[:ROWS_SHOWN]] for at in range(len(header))]
    context = {
        "upload": kept,
        "form": form,
        "columns": list(zip(form, rows, strict=True)),
        "row_count": len(table.rows),
    }
    return _upload_page(request, study, context, status=422 if form.errors else 200)


def _upload(study: Study, pk: int) -> Upload:
    found = study.uploads.filter(pk=pk).first()
    if found is None:
        raise Http404("That file was taken in or put aside.")
    return found


def _upload_page(
    request: HttpRequest, study: Study, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    context |= {"tab": "candidates", "use_title": uploads.USES.get(context["upload"].use, "")}
    return study_page(request, "annotation/studies/upload.html", study, context, status=status)


def _page(
    request: HttpRequest, study: Study, form: UploadForm, pair_form: PairForm, status: int = 200
) -> HttpResponse:
    pairs = study.candidates.exclude(pair="").select_related("instance").order_by("position")
    context = {
        "tab": "candidates",
        "form": form,
        "pair_form": pair_form,
        "taken": uploads.intake_report(study),
        "waiting": study.uploads.defer("content"),
        "active": study.candidate_imports.filter(status__in=CandidateImport.ACTIVE),
        "pairs": pairs[:60],
        "instances": StudyInstance.objects.filter(study=study).order_by("pk")[:INSTANCES_SHOWN],
        "first": study.candidates.select_related("instance", "same_as")[:5],
        "begun": study.stages.exclude(status=Stage.Status.PLANNED).exists(),
    }
    return study_page(request, "annotation/studies/candidates.html", study, context, status=status)
