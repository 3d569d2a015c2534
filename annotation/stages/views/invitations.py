"""Signed links by which raters join a study."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.rating.services.invitations import (
    VALID_SECONDS,
    join_path,
    set_signed_links_only,
)
from annotation.stages.forms import InvitationForm
from annotation.studies.models import Study
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def invitations(request: HttpRequest, study: Study) -> HttpResponse:
    """POST shows a signed link for each rater. The links are not stored."""
    form = InvitationForm(request.POST if request.method == "POST" else None)
    links = []
    if form.is_valid():
        links = [
            (worker_id, request.build_absolute_uri(join_path(study, worker_id)))
            for worker_id in form.cleaned_data["workers"]
        ]
    context = {
        "tab": "stages",
        "form": form,
        "links": links,
        "open_link": request.build_absolute_uri(reverse("rating-join", args=[study.slug])),
        "valid_days": VALID_SECONDS // 86_400,
    }
    status = 422 if form.errors else 200
    return study_page(request, "annotation/stages/invitations.html", study, context, status=status)


@require_POST
@study_view(Role.EDITOR)
def joining(request: HttpRequest, study: Study) -> HttpResponse:
    """Let raters join by signed links only (`only=yes`), or by any link."""
    set_signed_links_only(study, request.POST.get("only") == "yes")
    messages.success(request, "Saved. Raters who have joined keep their pages.")
    return redirect("study-invitations", study.slug)
