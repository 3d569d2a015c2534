from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    """Webhooks: who is told what, and every delivery."""

    name = "core.webhooks"
