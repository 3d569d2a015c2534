"""Pages of the members of a judgment set and of publishing a version."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import members, publishing, versions
from benchmarks.sets.views.access import set_page, set_view
from benchmarks.sharing import public_view
from core.accounts.publishing import handle_publish_form
from core.accounts.roles import Role
from core.accounts.views.members import MembersPage


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@set_view(Role.VIEWER)
def set_members(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    """The members of the set. Their roles hold for all its versions."""
    viewer = judgment_set.viewer
    page = MembersPage(
        members.members(judgment_set.name),
        members.KIND,
        judgment_set.name,
        page_url=reverse("set-members", args=[str(judgment_set)]),
        after_leaving_url=reverse("judgment-sets"),
        may_own=viewer.allows(Role.OWNER),
    )

    def show(context: dict[str, object], status: int) -> HttpResponse:
        context |= {"tab": "members", "is_member": viewer.role is not None}
        return set_page(
            request, "benchmarks/sharing/members.html", judgment_set, context, status=status
        )

    return page.answer(request, show)


@require_http_methods(["GET", "HEAD", "POST"])
@set_view(Role.VIEWER)
def set_publishing(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    """What everybody sees if the version is public. POST publishes or unpublishes it, as `do`
    says."""
    if request.method == "POST":
        handle_publish_form(
            request,
            str(judgment_set),
            may_own=judgment_set.viewer.allows(Role.OWNER),
            publish=lambda: publishing.publish(judgment_set, at=now()),
            unpublish=lambda: publishing.unpublish(judgment_set),
        )
        return redirect("set-publishing", str(judgment_set))
    context = {
        "tab": "publishing",
        "view": public_view.public_view(judgment_set),
        "versions": versions.versions_of(judgment_set.name, judgment_set.viewer),
    }
    return set_page(request, "benchmarks/sharing/publishing.html", judgment_set, context)
