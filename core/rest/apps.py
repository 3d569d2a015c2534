from django.apps import AppConfig


class RestConfig(AppConfig):
    name = "core.rest"
    verbose_name = "REST API"
