"""URLs of administrators' pages; those of accounts are in core.accounts."""

from django.urls import path

from config.administration import views

urlpatterns = [
    path("administration/", views.state, name="administration"),
    path("administration/jobs/", views.job_list, name="administration-jobs"),
    path(
        "administration/jobs/<str:kind>/<int:pk>/stop",
        views.stop_job,
        name="administration-stop-job",
    ),
    path(
        "administration/jobs/<str:kind>/<int:pk>/retry",
        views.retry_job,
        name="administration-retry-job",
    ),
]
