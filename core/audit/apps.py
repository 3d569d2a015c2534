from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The book of who did what."""

    name = "core.audit"

    def ready(self) -> None:
        from core.audit import task_actors  # noqa: F401
