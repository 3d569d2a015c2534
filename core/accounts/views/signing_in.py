"""The sign-in page."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.views import LoginView


class SignIn(LoginView):
    template_name = "sign_in.html"

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        return super().get_context_data(**more) | {"open_sign_up": settings.OPEN_SIGN_UP}
