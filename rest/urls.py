"""Addresses of the API's own: its description, its documentation, and whatever is not there."""

from django.urls import path, re_path

from rest import docs, views

urlpatterns = [
    path("openapi.json", docs.openapi, name="api-schema"),
    path("docs/", docs.docs, name="api-docs"),
    re_path(r"^.*", views.NothingHere.as_view(), name="api-nothing"),
]
