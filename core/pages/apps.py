from django.apps import AppConfig


class PagesConfig(AppConfig):
    """The base pages: stylesheet, error pages, health check."""

    name = "core.pages"
