"""Addresses of the API's own: one's account, its description, and whatever is not there."""

from django.urls import path, re_path

from rest import account, docs, views

urlpatterns = [
    path("account", account.Account.as_view(), name="api-account"),
    path("account/tokens", account.Tokens.as_view(), name="api-tokens"),
    path("account/tokens/<int:token>", account.OneToken.as_view(), name="api-token"),
    path("account/sessions", account.Sessions.as_view(), name="api-sessions"),
    path("account/sessions/<int:session>", account.OneSession.as_view(), name="api-session"),
    path("account/invitations", account.Invitations.as_view(), name="api-invitations"),
    path(
        "account/invitations/<int:invitation>",
        account.OneInvitation.as_view(),
        name="api-invitation",
    ),
    path("openapi.json", docs.openapi, name="api-schema"),
    path("docs/", docs.docs, name="api-docs"),
    re_path(r"^.*", views.NothingHere.as_view(), name="api-nothing"),
]
