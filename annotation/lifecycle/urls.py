"""URLs of a study's settings, below a study's own."""

from django.urls import path

from annotation.lifecycle import views

STUDY = "<str:slug>/"

urlpatterns = [
    path(f"{STUDY}settings/", views.settings, name="study-settings"),
    path(f"{STUDY}language", views.language, name="study-language"),
    path(f"{STUDY}copy", views.copy, name="study-copy"),
    path(f"{STUDY}archive", views.archive, name="study-archive"),
    path(f"{STUDY}delete", views.delete, name="study-delete"),
]
