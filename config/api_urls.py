"""All addresses of the REST API, below /api/v1/."""

from django.urls import include, path

urlpatterns = [
    path("", include("annotation.api.urls")),
    path("", include("benchmarks.api.urls")),
    path("", include("core.rest.urls")),  # last: it answers for whatever is not there
]
