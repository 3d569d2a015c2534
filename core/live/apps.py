from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Telling open pages that what they show has changed."""

    name = "core.live"
