"""URLs of a user's webhooks."""

from django.urls import path

from core.webhooks.views import changing, reading

ONE = "<int:pk>/"

urlpatterns = [
    path("", reading.webhooks, name="webhooks"),
    path("new/", changing.new_webhook, name="webhook-new"),
    path(ONE, reading.webhook, name="webhook"),
    path(f"{ONE}change/", changing.change_webhook, name="webhook-change"),
    path(f"{ONE}do", changing.run_action, name="webhook-do"),
    path(f"{ONE}deliveries/<uuid:key>/", reading.delivery, name="webhook-delivery"),
    path(f"{ONE}deliveries/<uuid:key>/again", changing.redeliver, name="webhook-redeliver"),
]
