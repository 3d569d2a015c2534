"""Addresses of judgment sets, their runs and boards."""

from django.urls import path

urlpatterns: list = []
