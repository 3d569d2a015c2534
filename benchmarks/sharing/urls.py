"""URLs of a set's members and of publishing it."""

from django.urls import path

from benchmarks.sharing import views

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}members/", views.set_members, name="set-members"),
    path(f"{SET}publishing/", views.set_publishing, name="set-publishing"),
]
