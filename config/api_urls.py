"""All URLs of the REST API, below /api/v1/."""

from django.urls import include, path

from config import api_problems

# Importing this module registers the exceptions.
REGISTERED = api_problems

urlpatterns = [
    path("", include("annotation.api_urls")),
    path("", include("benchmarks.api_urls")),
    path("", include("core.rest.urls")),  # last: it also answers unknown URLs
]
