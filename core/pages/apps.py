from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Base templates, stylesheet, error pages and polling."""

    name = "core.pages"
