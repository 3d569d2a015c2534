"""URLs of the page that scores one answer."""

from django.urls import path

from benchmarks.tryouts import views as tryouts

urlpatterns = [
    path("try/", tryouts.try_page, name="try"),
    path("try/<int:pk>/", tryouts.tryout, name="tryout"),
]
