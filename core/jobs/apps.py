from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Jobs: work that somebody requested and a worker does."""

    name = "core.jobs"
