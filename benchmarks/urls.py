"""Addresses of judgment sets, their runs and boards. REF is NAME or NAME@VERSION."""

from django.urls import include, path

from benchmarks.views import events
from core.pages import views as site

SET = "sets/<str:ref>/"

urlpatterns = [
    path("healthz", site.healthz, name="healthz"),
    path("learned/trainings/<int:pk>/events", events.training_events, name="training-events"),
    path("imports/<int:pk>/events", events.import_events, name="set-import-events"),
    path(f"{SET}runs/events", events.run_events, name="run-events"),
    path(f"{SET}analyses/<int:pk>/events", events.analysis_events, name="analysis-events"),
    path("", include("benchmarks.boards.urls")),
    path("", include("benchmarks.tryouts.urls")),
    path("", include("benchmarks.trainings.urls")),
    path("", include("benchmarks.imports.urls")),
    path("", include("benchmarks.sets.urls")),
    path("", include("benchmarks.sharing.urls")),
    path("", include("benchmarks.freezing.urls")),
    path("", include("benchmarks.analyses.urls")),
    path("", include("benchmarks.correctness.urls")),
    path("", include("benchmarks.runs.urls")),
    path("", include("benchmarks.submissions.urls")),
    path("", include("benchmarks.errors.urls")),
    path("", include("benchmarks.exports.urls")),
]
