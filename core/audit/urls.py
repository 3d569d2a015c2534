"""Addresses of the audit; those of a study and of a set are among their own."""

from django.urls import path, re_path

from core.audit import views

urlpatterns = [
    path("audit/", views.everything, name="audit"),
    re_path(r"^audit\.(?P<extension>csv|jsonl)$", views.everything_file, name="audit-file"),
]
