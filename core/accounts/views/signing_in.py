"""The sign-in page."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse
from django_htmx.http import HttpResponseClientRefresh

from core.pages.polling import wants_fragment
from core.security.declarations import costs


@costs("sign-in")
class SignInView(LoginView):
    template_name = "sign_in.html"

    def get(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        """Show the form.

        When htmx polls a fragment and the session has ended, have the browser reload the page:
        otherwise htmx would put the form into the fragment.
        """
        if wants_fragment(request):
            return HttpResponseClientRefresh()
        return super().get(request, *args, **kwargs)

    def get_context_data(self, **more: object) -> dict[str, object]:
        context = super().get_context_data(**more)
        del context["site_name"]  # the host; titles have the name of the site
        return context | {"open_sign_up": settings.OPEN_SIGN_UP}
