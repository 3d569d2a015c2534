"""URLs of the health checks and of Prometheus metrics."""

from django.urls import path

from config.monitoring import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
]
