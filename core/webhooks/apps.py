from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Webhooks and their deliveries."""

    name = "core.webhooks"
