"""URLs of the pages that crowd platforms open for workers: signed, without cookies."""

from django.urls import path

from annotation.crowds.views import entry, frame

urlpatterns = [
    path("<str:signed>/", entry.enter, name="crowd-enter"),
    path("task/<str:token>/", frame.task, name="crowd-task"),
    path("task/<str:token>/ratings/", frame.ratings, name="crowd-ratings"),
]
