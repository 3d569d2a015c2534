"""Who may see a study, and how its pages are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers

from annotation.models import Study
from annotation.services import correspondence, next_steps
from annotation.services.collected import simulation

View = Callable[..., HttpResponse]


def staff_only(view: View) -> View:
    """Visitors are asked to sign in; others but staff are refused."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        if not request.user.is_staff:
            raise PermissionDenied("Only staff run studies.")
        return view(request, *args, **kwargs)

    return checked


def owner_only(view: View) -> View:
    """Gives the view the study that `slug` names. To all but its owner and superusers there is
    none; visitors are asked to sign in."""

    @wraps(view)
    def checked(request: HttpRequest, slug: str, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        study = Study.objects.filter(slug=slug).select_related("owner").first()
        if study is None or not may_run(person(request), study):
            raise Http404("There is no such study.")
        return view(request, study, **kwargs)

    return checked


def may_run(user: User, study: Study) -> bool:
    """Whether a person sees and runs the study."""
    return user.is_superuser or (user.is_staff and study.owner_id == user.pk)


def person(request: HttpRequest) -> User:
    """Who is signed in; views behind `staff_only` and `owner_only` have someone."""
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
    context = {"study": study, "slug": study.slug, **context}
    htmx = request.htmx  # type: ignore[attr-defined]
    if fragment and htmx and not htmx.history_restore_request:
        template = fragment
    else:
        context |= study_head(study, f"study-{context.get('tab', '')}")
    response = render(request, template, context, status=status)
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request"))
    return response


def study_head(study: Study, page: str) -> dict[str, Any]:
    """What the head and foot of every page of a study show."""
    return {
        "simulation": simulation(study),
        "waiting_messages": correspondence.waiting_messages(study),
        "next": next_steps.next_step(study, page),
    }
