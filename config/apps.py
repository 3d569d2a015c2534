from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The project itself as an app: it owns the commands that run the whole."""

    name = "config"

    def ready(self) -> None:
        from config import checks, deployment_checks  # noqa: F401
        from core.logs import tasks  # noqa: F401
