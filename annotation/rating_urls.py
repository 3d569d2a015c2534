"""Addresses of the raters' pages."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
