"""URLs of the pages of all analyses, from their descriptions."""

from django.urls import URLPattern

from benchmarks.analyses.registry import KINDS
from benchmarks.analyses.views.pages import routes

urlpatterns: list[URLPattern] = [pattern for kind in KINDS.values() for pattern in routes(kind)]
