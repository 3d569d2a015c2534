"""Fetching what an address names, and who may do what."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from core.accounts.roles import Role
from core.pages.errors import MissingError
from core.pages.polling import render_page

View = Callable[..., HttpResponseBase]


def find_set(reference: str, user: Any = None, needs: Role | None = None) -> JudgmentSet:
    """The set called NAME or NAME@VERSION, as this account may see it; as a visitor may, without
    one. Raises MissingError, and PermissionDenied without the role that is needed."""
    try:
        return access.set_for(user or AnonymousUser(), reference, needs)
    except access.SetMissingError as error:
        raise MissingError(str(error)) from error
    except access.RoleNeededError as error:
        raise PermissionDenied(str(error)) from error


def signed_in(view: View) -> View:
    """Visitors are asked to sign in."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    return checked


def set_view(needs: Role) -> Callable[[View], View]:
    """Gives the view the set that `ref` names, to those whose role on it allows what `needs` may;
    visitors are asked to sign in."""

    def decorated(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, ref: str, **kwargs: Any) -> HttpResponseBase:
            return view(request, find_set(ref, request.user, needs), **kwargs)

        return signed_in(checked)

    return decorated


def set_page(
    request: HttpRequest,
    template: str,
    judgment_set: JudgmentSet,
    context: dict[str, Any],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page of a set, or only its `fragment` where htmx asks for that."""
    viewer = judgment_set.viewer
    context = {
        "judgment_set": judgment_set,
        "ref": str(judgment_set),
        "is_inside": viewer.allows(Role.VIEWER),
        "may_edit": viewer.allows(Role.EDITOR),
        "may_own": viewer.allows(Role.OWNER),
        **context,
    }
    return render_page(request, template, context, fragment=fragment, status=status)
