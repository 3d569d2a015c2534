"""All addresses of the REST API, below /api/v1/."""

from django.urls import include, path

from config import api_problems

# Importing it registers the refusals.
REGISTERED = api_problems

urlpatterns = [
    path("", include("annotation.api_urls")),
    path("", include("benchmarks.api_urls")),
    path("", include("core.rest.urls")),  # last: it answers for whatever is not there
]
