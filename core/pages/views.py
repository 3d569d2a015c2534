"""Error pages, and what pages answer to refusals."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from concord.sentences import to_sentence
from core.refusals import RefusedError
from core.security.uploads import TOO_LARGE, refuse

View = Callable[..., HttpResponseBase]


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, TOO_LARGE):
        return refuse(request, exception)
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    reason = str(exception) if isinstance(exception, RefusedError) else ""
    return render(request, "404.html", {"reason": reason}, status=404)


class RefusalMiddleware:
    """Answers a page that a service refuses with the error page of the refusal's status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, RefusedError):
            return None
        if error.status in (403, 404):
            return (forbidden if error.status == 403 else not_found)(request, error)
        context = {"title": error.title, "reason": str(error)}
        return render(request, "400.html", context, status=error.status)


def refusals_to(page: str, *arguments: str, **query: str) -> Callable[[View], View]:
    """Decorate a view that changes something: what it refuses is a message on `page`.

    arguments: those of the view's address that the address of the page has. query: the page's query
    parameters, each with the argument of the view's address that it has. Refusals with the status
    403 or 404 have an error page.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def answer(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
            try:
                return view(request, *args, **kwargs)
            except RefusedError as error:
                if error.status in (403, 404):
                    raise
                messages.error(request, to_sentence(error))
                assert request.resolver_match is not None, "a view has an address"
                given = request.resolver_match.kwargs
                address = reverse(page, kwargs={name: given[name] for name in arguments})
                asked = urlencode({name: given[argument] for name, argument in query.items()})
                return redirect(f"{address}?{asked}" if asked else address)

        return answer

    return decorate


def add_refusal(form: BaseForm, error: RefusedError) -> None:
    """Show a refusal beside its field of a form, above the form if it has no such field."""
    form.add_error(error.field if error.field in form.fields else None, to_sentence(error))
