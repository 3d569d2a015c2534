from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The audit log."""

    name = "core.audit"

    def ready(self) -> None:
        from core.audit import task_actors  # noqa: F401
