"""Fetching the judgment set of a URL, with permission checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, criteria
from core.accounts.roles import Role
from core.pages.polling import render_page
from core.refusals import RefusedError

View = Callable[..., HttpResponseBase]
# The query parameter that names the section of a page that the query is about.
SECTION = "section"


def find_set(
    reference: str, user: User | AnonymousUser | None = None, needs: Role | None = None
) -> JudgmentSet:
    """The set with the reference NAME or NAME@VERSION, for this account or, without one, a visitor.

    Raises RefusedError, also without the role `needs`.
    """
    return access.set_for(user or AnonymousUser(), reference, needs)


def find_set_on_criterion(request: HttpRequest, reference: str) -> JudgmentSet:
    """`find_set` on the criterion that the query names.

    By default it is the score, or the first criterion of a set without one. Raises
    RefusedError besides.
    """
    judgment_set = find_set(reference, request.user)
    choose_criterion(judgment_set, request.GET.get("criterion", ""))
    return judgment_set


def choose_criterion(judgment_set: JudgmentSet, name: str) -> None:
    """Choose the criterion of a page. Raises RefusedError."""
    try:
        criteria.choose(judgment_set, name or criteria.default(judgment_set))
    except RefusedError as error:
        raise RefusedError(str(error), "query-invalid") from error


def set_view(needs: Role, *, on_criterion: bool = False) -> Callable[[View], View]:
    """Decorate a view of the set `ref`, which is passed to it. Needs the role `needs`; visitors are
    redirected to the sign-in page.

    on_criterion: the set is on the criterion that the form names, as by `find_set_on_criterion`.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def check(request: HttpRequest, ref: str, **kwargs: object) -> HttpResponseBase:
            judgment_set = find_set(ref, request.user, needs)
            if on_criterion:
                choose_criterion(judgment_set, request.POST.get("criterion", ""))
            return view(request, judgment_set, **kwargs)

        return login_required(check)

    return decorate


def set_page(
    request: HttpRequest,
    template: str,
    judgment_set: JudgmentSet,
    context: Mapping[str, object],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """A page of a set, or only its `fragment` for a request of htmx."""
    complete = {**set_context(judgment_set), **context}
    return render_page(request, template, complete, fragment=fragment, status=status)


def set_context(judgment_set: JudgmentSet) -> dict[str, object]:
    """What every page of a set knows of it and of its viewer."""
    viewer = judgment_set.viewer
    return {
        "judgment_set": judgment_set,
        "ref": str(judgment_set),
        "criteria": criteria.names(judgment_set),
        "criterion": criteria.chosen(judgment_set),
        "has_spans": bool(judgment_set.statistics.get("marks")),
        "has_choices": bool(judgment_set.statistics.get("judged_pairs")),
        "has_score": not criteria.default(judgment_set),
        "is_inside": viewer.allows(Role.VIEWER),
        "may_edit": viewer.allows(Role.EDITOR),
        "may_own": viewer.allows(Role.OWNER),
    }


def own_query(request: HttpRequest, name: str) -> QueryDict:
    """The query of the page or section `name`: empty where it is that of another section."""
    return request.GET if request.GET.get(SECTION, name) == name else QueryDict()
