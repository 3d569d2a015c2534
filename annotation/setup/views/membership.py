"""A study's members, publishing, and the public page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.setup.services import publishing
from annotation.studies.models import Study
from annotation.studies.services import access, members
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.publishing import handle_publish_form
from core.accounts.roles import Role
from core.accounts.views.members import MembersPage


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@study_view(Role.VIEWER)
def study_members(request: HttpRequest, study: Study) -> HttpResponse:
    page = MembersPage(
        members.members(study),
        members.KIND,
        study.slug,
        page_url=reverse("study-members", args=[study.slug]),
        after_leaving_url=reverse("studies"),
        may_own=access.allows(person(request), study, Role.OWNER),
    )

    def show(context: dict[str, object], status: int) -> HttpResponse:
        context |= {"tab": "members", "is_member": study.role is not None}
        return study_page(request, "annotation/setup/members.html", study, context, status=status)

    return page.answer(request, show)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER)
def study_publishing(request: HttpRequest, study: Study) -> HttpResponse:
    """What the public page shows. POST publishes the study or makes it private, depending on
    `do`."""
    if request.method == "POST":
        handle_publish_form(
            request,
            "The study",
            may_own=access.allows(person(request), study, Role.OWNER),
            publish=lambda: publishing.publish(study, at=now()),
            unpublish=lambda: publishing.unpublish(study),
        )
        return redirect("study-publishing", study.slug)
    context = {"tab": "publishing", "public": publishing.public_study(study)}
    return study_page(request, "annotation/setup/publishing.html", study, context)


@require_safe
def public_study(request: HttpRequest, slug: str) -> HttpResponse:
    """The page of a published study. Before publishing, members see what would be published."""
    study = Study.objects.filter(slug=slug).first()
    if study is None or not (study.published_at or access.allows(request.user, study, Role.VIEWER)):
        raise Http404("There is no such study.")
    context = {"public": publishing.public_study(study), "study": study}
    return render(request, "annotation/setup/public.html", context)
