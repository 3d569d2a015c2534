"""Access to studies for views, and rendering of their pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from annotation.studies.models import Study
from annotation.studies.services import access
from core.accounts.roles import Role
from core.accounts.views.shared import person as person
from core.pages.polling import render_page

View = Callable[..., HttpResponseBase]


def researchers_only(view: View) -> View:
    """Redirect visitors to the sign-in page, and refuse users who are not researchers."""

    @wraps(view)
    def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not access.may_create_studies(person(request)):
            raise PermissionDenied(access.RESEARCHERS_ONLY)
        return view(request, *args, **kwargs)

    return login_required(checked)


def study_view(needs: Role, to_change: Role | None = None) -> Callable[[View], View]:
    """Pass the study with this `slug` to the view, if the user's role allows `needs`.

    Requests that change something need `to_change`, if it is set. Visitors are redirected to sign
    in.
    """

    def decorated(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, slug: str, **kwargs: object) -> HttpResponseBase:
            is_reading = request.method in ("GET", "HEAD")
            return view(
                request,
                find_study(request, slug, needs if is_reading else to_change or needs),
                **kwargs,
            )

        return login_required(checked)

    return decorated


def find_study(request: HttpRequest, slug: str, needs: Role) -> Study:
    """The study, for a signed-in user. Raises RefusedError, also without the role."""
    return access.study_for(request.user, slug, needs)


def study_page(
    request: HttpRequest,
    template: str,
    study: Study,
    context: Mapping[str, object],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page of a study with its header, or only its `fragment` for htmx."""
    user = person(request)
    whole = {
        "study": study,
        "slug": study.slug,
        "may_edit": user.is_superuser or bool(study.role and study.role.allows(Role.EDITOR)),
        "may_own": user.is_superuser or study.role == Role.OWNER,
        **context,
    }
    return render_page(request, template, whole, fragment=fragment, status=status)
