"""URLs of metric runs."""

from django.urls import path

from benchmarks.runs import views as runs

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}runs/", runs.metric_runs, name="metric-runs"),
    path(f"{SET}runs/start", runs.start_runs, name="start-runs"),
    path(f"{SET}runs/<int:pk>/stop", runs.stop_run, name="stop-run"),
    path(f"{SET}runs/<int:pk>/retry", runs.retry_run, name="retry-run"),
]
