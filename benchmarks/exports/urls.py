"""Addresses of the files of a set, on pages."""

from __future__ import annotations

from functools import cache

from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from django.views.decorators.http import require_safe

from benchmarks.exports.files import FILES, SetFile
from benchmarks.sets.views.access import find_set
from core.pages.queries import QueryForm, parameter_fields


@require_safe
def download(request: HttpRequest, ref: str, file: SetFile) -> HttpResponseBase:
    """The file with the options of the query."""
    judgment_set = find_set(ref, request.user)
    if file.options is None:
        return file.response(judgment_set)
    entered = _form(file.options).read(request.GET)
    values = {name: value for name, value in entered.items() if value not in ("", None)}
    return file.response(judgment_set, file.options(**values))


@cache
def _form(options: type) -> type[QueryForm]:
    return type(f"{options.__name__}Form", (QueryForm,), parameter_fields(options))


urlpatterns = [
    path(f"sets/<str:ref>/{file.name}", download, {"file": file}, name=file.url_name)
    for file in FILES
    if file.on_pages
]
