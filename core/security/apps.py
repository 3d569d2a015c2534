from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """Rate limits, upload limits and outgoing calls."""

    name = "core.security"
