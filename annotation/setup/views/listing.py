"""The list of studies, and creating one."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from annotation.setup.forms import NewStudyForm
from annotation.setup.protocol_values import initial_of
from annotation.setup.services.study_creation import create_study
from annotation.studies.services import access
from annotation.studies.views.access import person, researchers_only
from concord.protocols import PRESETS, preset


@require_safe
@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """The user's studies, and those that are published."""
    own = access.studies_for(request.user)
    others = access.published().exclude(pk__in=own.values("pk"))
    rated = Count("candidates", filter=Q(candidates__use="rated"), distinct=True)
    rows = own.select_related("owner").annotate(n_candidates=rated).prefetch_related("stages")
    context = {
        "rows": rows.filter(archived_at=None),
        "archived": own.filter(archived_at__isnull=False),
        "published": others,
        "presets": PRESETS,
    }
    return render(request, "annotation/setup/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def new_study(request: HttpRequest) -> HttpResponse:
    name = request.POST.get("preset") or request.GET.get("preset") or "blank"
    if name not in PRESETS:
        raise Http404("There is no such preset.")
    initial = initial_of(preset(name))
    form = NewStudyForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid() and form.protocol:
        study = create_study(
            form.cleaned_data["slug"],
            form.cleaned_data["title"],
            form.protocol,
            preset=name,
            owner=person(request),
            seed=secrets.randbits(62),
            at=now(),
        )
        messages.success(request, f"{study.title} was created. Next: upload its candidates.")
        return redirect("study-candidates", study.slug)
    context = {"form": form, "preset": name, "presets": PRESETS, "title": PRESETS[name][0]}
    status = 422 if form.errors else 200
    return render(request, "annotation/setup/new_study.html", context, status=status)
