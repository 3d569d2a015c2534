"""URLs of second looks."""

from django.urls import path

from benchmarks.second_looks import views

urlpatterns = [
    path("sets/<str:ref>/judges/<int:pk>/second-look", views.second_look, name="second-look"),
]
