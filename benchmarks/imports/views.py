"""Bringing judgments in: the form, and an import followed until it is a set."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.forms import SetImportForm
from benchmarks.imports.models import SetImport
from benchmarks.imports.services.access import import_for, imports_of, set_made
from benchmarks.sets.services import access, reports
from benchmarks.sets.services.access import RoleNeededError
from benchmarks.sets.services.importing import ImportRefusedError
from benchmarks.sets.views.access import signed_in
from concord.formats import FormatError
from core.pages.errors import MissingError
from core.pages.polling import render_page, wants_fragment
from core.pages.sending import send
from core.rest.parsers import BodyTooLargeError
from core.rest.uploads import on_disk

SHOWN = 20


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def set_imports(request: HttpRequest) -> HttpResponse:
    """The form, and one's latest imports under it."""
    if request.method != "POST":
        return _form_page(request, SetImportForm())
    form = SetImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form_page(request, form, status=422)
    try:
        asked = _ask(request, form)
    except RoleNeededError as error:
        form.add_error("name", str(error))
    except FormatError as error:
        return _form_page(request, form, problems=error, status=422)
    except (ImportRefusedError, BodyTooLargeError) as error:
        form.add_error(None, str(error))
    else:
        return redirect("set-import", pk=asked.pk)
    return _form_page(request, form, status=422)


@require_safe
@signed_in
def set_import(request: HttpRequest, pk: int) -> HttpResponse:
    """How far it is; a page that followed it goes on to the set once there is one."""
    found = find_import(request, pk)
    made = set_made(found, request.user)
    context: dict[str, Any] = {
        "import": found,
        "made": made,
        "report": reports.report_lines(made.report) if made else [],
    }
    if made and wants_fragment(request):
        messages.success(request, f"{made} is imported. It is private until it is published.")
        return HttpResponseClientRedirect(made.get_absolute_url())
    return render_page(
        request,
        "benchmarks/imports/import.html",
        context,
        fragment="benchmarks/imports/_import.html",
    )


@require_POST
@signed_in
def stop_import(request: HttpRequest, pk: int) -> HttpResponse:
    found = find_import(request, pk)
    if imports.cancel(found, at=now()):
        messages.success(request, "The import is stopped. Nothing of it is kept.")
    else:
        messages.info(request, f"The import is {found.status}: there is nothing to stop.")
    return redirect("set-import", pk=pk)


def find_import(request: HttpRequest, pk: int) -> SetImport:
    """An import that is theirs to see. Raises MissingError."""
    try:
        return import_for(request.user, pk)
    except access.SetMissingError as error:
        raise MissingError(str(error)) from error


def _ask(request: HttpRequest, form: SetImportForm) -> SetImport:
    """The import, kept, and its task sent once that is committed."""
    values = form.cleaned_data
    sent = [one for one in (values["file"], values["pairs"]) if one]
    with on_disk(sent) as paths, transaction.atomic():
        pairs = paths.pop() if values["pairs"] else None
        asked = imports.request(
            values["name"],
            values["format"],
            paths,
            form.given(),
            pairs=pairs,
            by=request.user,  # type: ignore[arg-type]
            at=now(),
        )
        send(request, lambda: tasks.import_set.delay(asked.pk))
    return asked


def _form_page(
    request: HttpRequest,
    form: SetImportForm,
    problems: FormatError | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "form": form,
        "problems": problems,
        "imports": imports_of(request.user)[:SHOWN],
    }
    return render(request, "benchmarks/imports/imports.html", context, status=status)
