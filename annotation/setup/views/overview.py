"""The overview of a study, and the way on from its candidates."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from annotation.setup.services import next_steps
from annotation.stages.services.stage_figures import stages_progress
from annotation.studies.models import Study
from annotation.studies.services.candidate_counts import count_candidates
from annotation.studies.views.access import study_page, study_view
from annotation.studies.views.candidates import labelled_counts
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


def _say_once(request: HttpRequest, text: str) -> None:
    """Add a message, unless it waits to be shown: a page that polls may be led on twice."""
    waiting = messages.get_messages(request)
    if text not in [str(one) for one in waiting]:
        messages.success(request, text)
    if isinstance(waiting, BaseStorage):
        waiting.used = False  # reading them is not showing them


@require_safe
@study_view(Role.VIEWER)
def after_import(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Say what an import added, and go to the step after the candidates; to their list where more
    of them are needed, and once a stage was opened."""
    job = get_object_or_404(study.candidate_imports, pk=pk)
    if counts := labelled_counts(job):
        summary = "; ".join(f"{count:,} {label}" for count, label in counts)
        _say_once(request, f"{job.name}: {summary}.")
    place = next_steps.set_up(study, "study-candidates")
    if place and place.following and place.step.state == next_steps.DONE:
        return redirect(place.following.url)
    return redirect("study-candidates", study.slug)
