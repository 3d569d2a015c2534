"""URLs of the whole audit log; studies and judgment sets have their own."""

from django.urls import path, re_path

from core.audit import views

urlpatterns = [
    path("audit/", views.audit_log, name="audit"),
    re_path(r"^audit\.(?P<extension>csv|jsonl)$", views.audit_log_file, name="audit-file"),
]
