"""The overview of a study, and its protocol with all versions."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods, require_safe

from annotation import markdown
from annotation.rating.models import Assignment
from annotation.setup.forms import ProtocolForm
from annotation.setup.protocol_values import initial_of
from annotation.setup.services import next_steps
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services.stage_figures import stages_progress
from annotation.studies.models import Study
from annotation.studies.services import uploads
from annotation.studies.views.access import study_page, study_view
from concord.protocols import ProtocolError
from concord.sentences import to_sentence
from core.accounts.roles import Role


@require_safe
@study_view(Role.VIEWER)
def study(request: HttpRequest, study: Study) -> HttpResponse:
    counts = uploads.count_candidates(study)
    context = {
        "tab": "overview",
        "steps": next_steps.steps(study, counts),
        "counts": counts,
        "stages": stages_progress(study),
        "preset_title": study.preset_title,
        "preset_changes": study.preset_changes(),
        "deviations": study.deviations(),
        "version": study.current,
    }
    return study_page(request, "annotation/setup/study.html", study, context)


@require_http_methods(["GET", "HEAD", "POST"])
@study_view(Role.VIEWER, to_change=Role.EDITOR)
def protocol(request: HttpRequest, study: Study) -> HttpResponse:
    current = study.current
    data = request.POST if request.method == "POST" else None
    form = ProtocolForm(data, initial=initial_of(current.protocol))
    if request.method == "POST" and form.is_valid() and form.protocol:
        try:
            version = change_protocol(study, form.protocol, at=now())
        except ProtocolError as error:
            for problem in error.problems.values():
                form.add_error(None, to_sentence(problem))
        else:
            is_new = version.version != current.version
            messages.success(
                request,
                f"Saved as version {version.version}. Version {current.version} is in use and "
                "stays "
                "unchanged."
                if is_new
                else f"Version {version.version} was saved.",
            )
            return redirect("study-protocol", study.slug)
    context = {
        "tab": "protocol",
        "form": form,
        "current": current,
        "in_use": Assignment.objects.filter(protocol_version=current).exists(),
        "versions": study.protocol_versions.order_by("-version"),
        "preset_title": study.preset_title,
        "preset_changes": study.preset_changes(),
        "deviations": study.deviations(),
    }
    status = 422 if form.errors else 200
    return study_page(request, "annotation/setup/protocol.html", study, context, status=status)


@require_safe
@study_view(Role.VIEWER)
def protocol_version(request: HttpRequest, study: Study, version: int) -> HttpResponse:
    version_row = study.protocol_versions.filter(version=version).first()
    if version_row is None:
        raise Http404("The study has no such version of its protocol.")
    protocol = version_row.protocol
    texts = {
        name: markdown.render(getattr(protocol, name))
        for name in ("instructions", "examples", "consent")
    }
    context = {"tab": "protocol", "version_row": version_row, "protocol": protocol, "texts": texts}
    return study_page(request, "annotation/setup/protocol_version.html", study, context)
