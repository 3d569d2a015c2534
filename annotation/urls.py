"""Addresses of rating studies: the researchers' side and the raters'."""

from django.urls import include, path

urlpatterns = [
    path("studies/", include("annotation.crowds.study_urls")),
    path("studies/", include("annotation.study_urls")),
    path("rate/crowd/", include("annotation.crowds.urls")),
    path("rate/", include("annotation.rating.urls")),
]
