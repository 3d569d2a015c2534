"""Django's admin site, restricted to administrators; `is_staff` (a researcher) is not enough."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest


class AdministratorsSite(AdminSite):
    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_superuser


class AdministratorsConfig(AdminConfig):
    default_site = "core.accounts.administration.AdministratorsSite"
