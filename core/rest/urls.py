"""URLs of the account, the webhooks, the audit log and the documentation of the API."""

from django.urls import path, re_path

from core.rest import account, docs, history, views, webhooks

WEBHOOK = "webhooks/<int:webhook>"
DELIVERY = f"{WEBHOOK}/deliveries/<uuid:delivery>"

urlpatterns = [
    path("account", account.Account.as_view(), name="api-account"),
    path("account/tokens", account.Tokens.as_view(), name="api-tokens"),
    path("account/tokens/<int:token>", account.OneToken.as_view(), name="api-token"),
    path("account/sessions", account.Sessions.as_view(), name="api-sessions"),
    path("account/sessions/<int:session>", account.OneSession.as_view(), name="api-session"),
    path("account/invitations", account.InvitationsView.as_view(), name="api-invitations"),
    path(
        "account/invitations/<int:invitation>",
        account.OneInvitation.as_view(),
        name="api-invitation",
    ),
    path("webhook-events", webhooks.Events.as_view(), name="api-webhook-events"),
    path("webhooks", webhooks.WebhooksView.as_view(), name="api-webhooks"),
    path(WEBHOOK, webhooks.OneWebhook.as_view(), name="api-webhook"),
    path(f"{WEBHOOK}/secret", webhooks.RenewSecret.as_view(), name="api-renew-secret"),
    path(f"{WEBHOOK}/turn-off", webhooks.TurnOff.as_view(), name="api-turn-webhook-off"),
    path(f"{WEBHOOK}/turn-on", webhooks.TurnOn.as_view(), name="api-turn-webhook-on"),
    path(f"{WEBHOOK}/test", webhooks.TryWebhook.as_view(), name="api-test-webhook"),
    path(f"{WEBHOOK}/deliveries", webhooks.Deliveries.as_view(), name="api-deliveries"),
    path(DELIVERY, webhooks.OneDelivery.as_view(), name="api-delivery"),
    path(f"{DELIVERY}/redeliver", webhooks.Redeliver.as_view(), name="api-redeliver"),
    path("audit", history.AuditLog.as_view(), name="api-audit"),
    path("openapi.json", docs.openapi, name="api-schema"),
    path("docs/", docs.docs, name="api-docs"),
    re_path(r"^.*", views.UnknownUrl.as_view(), name="api-nothing"),
]
