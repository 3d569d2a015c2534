from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """The project itself as an app, with the commands that run the whole site."""

    name = "config"

    def ready(self) -> None:
        from config import checks, deployment_checks  # noqa: F401
        from core.logs import tasks  # noqa: F401
