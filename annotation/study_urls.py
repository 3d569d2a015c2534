"""Addresses of the researchers' side of studies."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
