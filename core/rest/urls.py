"""URLs of the account and the documentation of the API."""

from django.urls import path, re_path

from core.rest import account, docs, views

urlpatterns = [
    path("account", account.Account.as_view(), name="api-account"),
    path("openapi.json", docs.openapi, name="api-schema"),
    path("docs/", docs.docs, name="api-docs"),
    re_path(r"^.*", views.UnknownUrl.as_view(), name="api-nothing"),
]
