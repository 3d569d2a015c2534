"""The files of a set in the API."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework.request import Request

from benchmarks.exports.files import FILES, SetFile
from benchmarks.sets.services import access
from benchmarks.sets.views.attachments import media_type
from core.rest.operations import operation
from core.rest.views import ApiView


def view_of(file: SetFile) -> type[ApiView]:
    """The endpoint of a file."""

    def get(self: ApiView, request: Request, ref: str) -> HttpResponseBase:
        judgment_set = access.set_for(request.user, ref)
        return file.response(judgment_set, file.options and self.input(file.options))

    get.__doc__ = file.help
    handler = operation(
        file.summary,
        scope="sets:read",
        visitors=True,
        query=file.options,
        sends=media_type(file.content_type),
        tag="downloads",
        also=file.also,
    )(get)
    return type("SetFileView", (ApiView,), {"get": handler, "__module__": __name__})


urlpatterns = [
    path(f"sets/<str:ref>/{file.name}", view_of(file).as_view(), name=f"api-{file.url_name}")
    for file in FILES
    if file.summary
]
