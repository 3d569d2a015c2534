"""The overview of a study."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from annotation.setup.services import next_steps
from annotation.stages.services.stage_figures import stages_progress
from annotation.studies.models import Study
from annotation.studies.services.candidate_counts import count_candidates
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role


@require_safe
@study_view(Role.VIEWER)
def study(request: HttpRequest, study: Study) -> HttpResponse:
    counts = count_candidates(study)
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
