"""Django's admin site, restricted to administrators; `is_staff` (a researcher) is not enough."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from core.security.declarations import costs

# The context of a page of Django's.
Context = dict[str, object]


class AdministratorsSite(AdminSite):
    site_header = site_title = "Concord administration"
    site_url = "/administration/"

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and request.user.is_superuser

    @costs("sign-in")
    def login(self, request: HttpRequest, extra_context: Context | None = None) -> HttpResponse:
        return super().login(request, extra_context)

    @costs("password-change")
    def password_change(
        self, request: HttpRequest, extra_context: Context | None = None
    ) -> TemplateResponse:
        return super().password_change(request, extra_context)


class AdministratorsConfig(AdminConfig):
    default_site = "core.accounts.administration.AdministratorsSite"
