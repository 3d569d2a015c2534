"""Addresses of judgment sets, their runs and boards. REF is NAME or NAME@VERSION."""

from django.urls import include, path

urlpatterns = [
    path("", include("benchmarks.boards.urls")),
    path("", include("benchmarks.tryouts.urls")),
    path("", include("benchmarks.checkpoints.urls")),
    path("", include("benchmarks.imports.urls")),
    path("", include("benchmarks.sets.urls")),
    path("", include("benchmarks.sharing.urls")),
    path("", include("benchmarks.freezing.urls")),
    path("", include("benchmarks.analyses.urls")),
    path("", include("benchmarks.runs.urls")),
    path("", include("benchmarks.submissions.urls")),
    path("", include("benchmarks.judging.urls")),
    path("", include("benchmarks.errors.urls")),
    path("", include("benchmarks.exports.urls")),
]
