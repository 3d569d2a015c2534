"""The list of studies, and creating one."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from annotation.setup.forms import NewStudyForm
from annotation.setup.services import next_steps
from annotation.setup.services.study_creation import StudySource, create_study
from annotation.setup.views import rater_preview
from annotation.stages.services import set_up_costs
from annotation.studies.errors import UploadError
from annotation.studies.services import access, uploads
from annotation.studies.views.access import person, researchers_only
from concord.protocols import PRESETS, Protocol, preset
from concord.sentences import counted
from core.pages.polling import render_page
from core.security.declarations import costs


def summary_of(protocol: Protocol) -> str:
    """The scale, the criteria, the number of ratings, the HITs, and what comes before and after."""
    counts = sorted({rule.ratings for rule in protocol.rating_rules})
    ratings = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    size = protocol.hit.max_candidates
    names = {"points": "Scale", "slider": "Slider"}
    if protocol.compares:
        names["points"] = f"{protocol.unit.capitalize()}s of answers, scale"
    criteria = len(protocol.criteria)
    parts = [
        f"{names[protocol.scale_kind]} from {protocol.low} to {protocol.high}",
        *([f"{criteria} further criteri{'a' if criteria > 1 else 'on'}"] if criteria else []),
        f"{ratings} rating{'s' if counts[-1] > 1 else ''} per candidate",
        f"HITs of up to {counted(size, 'candidate')}" if size > 1 else "one candidate per HIT",
    ]
    if protocol.qualification:
        parts.append(f"a test of {protocol.qualification.candidates}")
    if protocol.trial:
        parts.append(f"a trial of {protocol.trial.candidates}")
    if protocol.quality.zscore_threshold:
        parts.append(f"a z-score filter at {protocol.quality.zscore_threshold:g}")
    return f"{', '.join(parts)}."


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
        "presets": [
            (name, title, summary_of(protocol)) for name, (title, protocol) in PRESETS.items()
        ],
    }
    return render(request, "annotation/setup/studies.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
@costs(files=uploads.file_limits)
def new_study(request: HttpRequest) -> HttpResponse:
    name = request.POST.get("preset") or request.GET.get("preset") or "blank"
    other = request.POST.get("other_preset")
    if name not in PRESETS or other not in (None, *PRESETS):
        raise Http404("There is no such preset.")
    if other:
        form = NewStudyForm.with_preset(request.POST, preset(name), preset(other))
        name = other
    else:
        data = request.POST if request.method == "POST" else None
        files = request.FILES if data is not None else None
        form = NewStudyForm(data, files, base=preset(name), preset=preset(name))
    is_preview = rater_preview.is_requested(request)
    refusal = None
    if form.is_bound and form.is_valid() and form.protocol and not is_preview:
        try:
            return _create(request, form, form.protocol, name)
        except UploadError as error:
            form.add_error("file", error.for_field())
            refusal = error
    context = {
        "form": form,
        "refusal": refusal,
        "open": form.open_sections(),
        "preset": name,
        "presets": PRESETS,
        "title": PRESETS[name][0],
        "set_up": next_steps.SET_UP,
        "cost": set_up_costs.example_cost(form.draft),
        **rater_preview.context(form.draft, title=form["title"].value() or ""),
    }
    return render_page(
        request,
        "annotation/setup/new_study.html",
        context,
        fragment="annotation/setup/_rater_preview.html",
        status=422 if form.errors and not is_preview else 200,
    )


def _create(
    request: HttpRequest, form: NewStudyForm, protocol: Protocol, preset_name: str
) -> HttpResponse:
    """Create the study of a valid form with its file, if there is one. Raises UploadError."""
    moment, file = now(), form.cleaned_data["file"]
    with transaction.atomic():
        study = create_study(
            form.short_name,
            form.cleaned_data["title"],
            protocol,
            source=StudySource(preset_name),
            owner=person(request),
            seed=secrets.randbits(62),
            at=moment,
        )
        if not file:
            messages.success(request, f"{study.title} was created. Next: upload its candidates.")
            return redirect("study-candidates", study.slug)
        stored = uploads.store_upload(
            study, file.name, file.read(), "", "rated", by=person(request), at=moment
        )
        uploads.guess_columns(stored)
    messages.success(request, f"{study.title} was created. Next: check the file and add it.")
    return redirect("study-upload", study.slug, stored.pk)
