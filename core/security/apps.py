from django.apps import AppConfig


class SecurityConfig(AppConfig):
    """Limits, uploads, outgoing calls: what every door of the site shares."""

    name = "core.security"
