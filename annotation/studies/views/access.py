"""Who may see a study, and how its pages are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase

from annotation.studies.models import Study
from annotation.studies.services import access
from core.accounts.roles import Role
from core.pages.polling import render_page

View = Callable[..., HttpResponseBase]


def signed_in(view: View) -> View:
    """Visitors are asked to sign in."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **kwargs)

    return checked


def researchers_only(view: View) -> View:
    """Visitors are asked to sign in; others but researchers are refused."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not access.may_begin_studies(person(request)):
            raise PermissionDenied(access.RESEARCHERS_ONLY)
        return view(request, *args, **kwargs)

    return signed_in(checked)


def study_view(needs: Role, to_change: Role | None = None) -> Callable[[View], View]:
    """Gives the view the study that `slug` names, to those whose role on it allows what `needs`
    may; to change something, `to_change`. Visitors are asked to sign in."""

    def decorated(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponseBase:
            looks = request.method in ("GET", "HEAD")
            return view(
                request,
                find_study(request, slug, needs if looks else to_change or needs),
                **kwargs,
            )

        return signed_in(checked)

    return decorated


def find_study(request: HttpRequest, slug: str, needs: Role) -> Study:
    """The study, for whoever is signed in. Raises Http404, and PermissionDenied without the role
    that is needed."""
    try:
        return access.study_for(request.user, slug, needs)
    except access.StudyMissingError as error:
        raise Http404(str(error)) from error
    except access.RoleNeededError as error:
        raise PermissionDenied(str(error)) from error


def person(request: HttpRequest) -> User:
    """Who is signed in; views behind `signed_in` have someone."""
    return cast(User, request.user)


def study_page(
    request: HttpRequest,
    template: str,
    study: Study,
    context: dict[str, Any],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page of a study with its head, or only its `fragment` where htmx asks for that."""
    user = person(request)
    context = {
        "study": study,
        "slug": study.slug,
        "may_edit": user.is_superuser or bool(study.role and study.role.allows(Role.EDITOR)),
        "may_own": user.is_superuser or study.role == Role.OWNER,
        **context,
    }
    return render_page(request, template, context, fragment=fragment, status=status)
