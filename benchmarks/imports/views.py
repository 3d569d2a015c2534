"""Pages of imports: the form, and the progress of an import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.forms import OrderForm, SetImportForm, again_values
from benchmarks.imports.inputs import file_limits
from benchmarks.imports.models import SetImport
from benchmarks.imports.services.access import import_for, imports_of, visible_set
from benchmarks.imports.services.requests import without_folders
from benchmarks.sets.services import reports
from concord.formats import FormatError
from concord.formats.recipes.columns import RecipeNameError, recipe_of_columns
from core.accounts.views.shared import person
from core.pages.column_form import ColumnsForm
from core.pages.polling import render_page, wants_fragment
from core.pages.sending import report_stop, send
from core.refusals import RefusedError
from core.rest.uploads import on_disk
from core.security.declarations import costs

SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@costs(files=file_limits)
def set_imports(request: HttpRequest) -> HttpResponse:
    """The form, filled as an earlier import if one is requested again, and the latest imports. The
    files of one that failed need not be sent again."""
    again = request.GET.get("again", "")
    job = find_import(request, int(again)) if again.isdecimal() and len(again) < 10 else None
    earlier = job if job and job.has_files else None
    if request.method != "POST":
        initial = again_values(job) if job else None
        return _form_page(request, SetImportForm(initial=initial, earlier=earlier))
    form = SetImportForm(request.POST, request.FILES, earlier=earlier)
    is_valid = form.is_valid()
    uploads = form.uploads()
    try:
        with on_disk([upload for files in uploads.values() for upload in files]) as paths:
            return _request_import(request, form, is_valid, _sent(uploads, paths))
    except RefusedError as error:
        if error.code != "body-too-large":
            raise
        form.add_error(None, str(error))
    return _form_page(request, form, status=422)


@require_safe
@login_required
def set_import(request: HttpRequest, pk: int) -> HttpResponse:
    """The progress of an import. A page that polls it is redirected to the set when it is made."""
    job = find_import(request, pk)
    if job.is_draft:
        return redirect("set-import-columns", pk=job.pk)
    judgment_set = visible_set(job, request.user)
    report = reports.report_lines(judgment_set.report, with_headings=True) if judgment_set else []
    if judgment_set and wants_fragment(request):
        done = f"{judgment_set} is imported. It is private until it is published."
        messages.success(request, " ".join([done, *report[:1]]))
        return HttpResponseClientRedirect(judgment_set.get_absolute_url())
    context: dict[str, object] = {"import": job, "judgment_set": judgment_set, "report": report}
    return render_page(
        request,
        "benchmarks/imports/import.html",
        context,
        fragment="benchmarks/imports/_import.html",
    )


@require_POST
@login_required
def stop_import(request: HttpRequest, pk: int) -> HttpResponse:
    job = find_import(request, pk)
    return report_stop(request, job, is_stopped=imports.cancel(job, at=now()))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def import_columns(request: HttpRequest, pk: int) -> HttpResponse:
    """The choice of the columns of a table, of another sheet if one is requested; of other files
    what was understood of them. POST queues the import."""
    job = find_import(request, pk)
    if not job.is_draft:
        return redirect(job)
    is_post = request.method == "POST"
    if job.inspection is not None:
        return _confirm(request, job)
    sheet = (request.POST if is_post else request.GET).get("sheet") or None
    try:
        table = imports.preview(job, sheet)
    except FormatError as error:
        context = {"import": job, "problems": error}
        return render(request, "benchmarks/imports/columns.html", context, status=422)
    form = ColumnsForm(
        request.POST if is_post else None,
        table=table,
        chosen=imports.proposed_columns(job, table),
        judged=True,
    )
    if is_post and form.is_valid():
        try:
            if "recipe" in request.POST:
                return _recipe_file(job, form)
            with transaction.atomic():
                if imports.choose_columns(job, form.meanings(), sheet, at=now()):
                    send(request, lambda: tasks.import_set.delay(job.pk))
            return redirect("set-import", pk=job.pk)
        except FormatError as error:
            form.add_error(None, [problem.message for problem in error.problems])
        except RecipeNameError as error:
            form.add_error(None, str(error))
    context = {"import": job, "form": form}
    status = 422 if form.errors else 200
    return render(request, "benchmarks/imports/columns.html", context, status=status)


def _confirm(request: HttpRequest, job: SetImport) -> HttpResponse:
    is_post = request.method == "POST"
    unordered = (job.inspection or {}).get("unordered", {})
    form = OrderForm(unordered, request.POST if is_post else None)
    if not is_post or not form.is_valid():
        context = {"import": job, "form": form}
        status = 422 if is_post else 200
        return render(request, "benchmarks/imports/inspection.html", context, status=status)
    with transaction.atomic():
        if imports.confirm(job, form.cleaned_data["order"], at=now()):
            send(request, lambda: tasks.import_set.delay(job.pk))
    return redirect("set-import", pk=job.pk)


def _recipe_file(job: SetImport, form: ColumnsForm) -> HttpResponse:
    """The assignment as a recipe. Raises RecipeNameError."""
    name = "".join(character if character.isalnum() else "-" for character in job.name)[:40]
    text = recipe_of_columns(form.header, form.meanings(), name)
    headers = {"Content-Disposition": content_disposition_header(True, f"{name}.toml") or ""}
    return HttpResponse(text, content_type="application/toml", headers=headers)


@require_POST
@login_required
def discard_import(request: HttpRequest, pk: int) -> HttpResponse:
    job = find_import(request, pk)
    if not imports.discard(job):
        return redirect(job)
    messages.success(request, "The file was discarded. Nothing was imported.")
    return redirect("set-imports")


def find_import(request: HttpRequest, pk: int) -> SetImport:
    """An import that the account may see. Raises RefusedError."""
    return import_for(request.user, pk, drafts=True)


def _sent(
    uploads: Mapping[str, Sequence[UploadedFile[bytes]]], paths: Sequence[Path]
) -> imports.ImportFiles:
    """The paths of the files of each field."""
    left = iter(paths)
    fields = {name: list(islice(left, len(files))) for name, files in uploads.items()}
    attached = {name: next(iter(fields[name]), None) for name in imports.ATTACHED}
    return imports.ImportFiles([*fields["file"], *fields["folder"]], **attached)


def _request_import(
    request: HttpRequest, form: SetImportForm, is_valid: bool, sent: imports.ImportFiles
) -> HttpResponse:
    """Store the import and send its task after the commit. The files of a refused one are stored
    for the next attempt."""
    format, by, problems = form.cleaned_data.get("format", ""), person(request), None
    parameters = form.value().parameters() if is_valid else imports.ImportParameters()
    try:
        if is_valid:
            with ExitStack() as stack, transaction.atomic():
                files = sent
                if form.earlier is not None:
                    again = imports.again(form.earlier, format, sent, parameters)
                    files, parameters = stack.enter_context(again)
                name = form.cleaned_data["name"]
                job = imports.request(name, format, files, parameters, draft=True, by=by, at=now())
                if not job.is_draft:
                    send(request, lambda: tasks.import_set.delay(job.pk))
            return redirect("set-import", pk=job.pk)
    except FormatError as error:
        problems = error
    except RefusedError as error:
        form.add_error("name" if error.code == "role-needed" else None, str(error))
    if sent.files():
        name = form.cleaned_data.get("name", "")
        form.earlier = imports.store_refused(
            name, format, sent, parameters, problems, by=by, at=now()
        )
    return _form_page(request, form, problems, status=422)


def _form_page(
    request: HttpRequest,
    form: SetImportForm,
    problems: FormatError | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "problems": problems and without_folders(problems).problems,
        "imports": imports_of(request.user, drafts=True)[:SHOWN],
    }
    return render(request, "benchmarks/imports/imports.html", context, status=status)
