"""Django's admin, for administrators alone: a researcher's `is_staff` does not open it."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest


class AdministratorsSite(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_superuser


class AdministratorsConfig(AdminConfig):
    default_site = "core.accounts.administration.AdministratorsSite"
