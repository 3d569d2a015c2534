"""The raters' page with a protocol that is being edited."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation

from annotation.stages.views.rating_preview import task_preview
from annotation.studies.models import Study, StudyCandidate, StudyInstance
from concord.protocols import Protocol

# The answer that is shown before a study has candidates.
EXAMPLE_PASSAGE = (
    "The ferry to the island leaves at nine and at noon. In winter only the noon ferry runs."
)
EXAMPLE_QUESTION = "When does the ferry leave in winter?"
EXAMPLE_REFERENCE = "at noon"
EXAMPLE_ANSWER = "The ferry leaves at twelve o'clock."


def is_requested(request: HttpRequest) -> bool:
    """Whether the form was sent to see the preview, not to be saved."""
    return "preview" in request.POST


def context(protocol: Protocol, study: Study | None = None, title: str = "") -> dict[str, object]:
    """The context of `_preview_panel.html`: a document that shows a task with one candidate.

    It is the study's first candidate, or an example if there is none.
    """
    candidate = _first_candidate(study) if study else None
    shown = study or Study(title=title or "Your study")
    task = task_preview(protocol, [candidate or _example()], seed=0) | {"study": shown}
    with translation.override(shown.rater_language or "en"):
        page = str(render_to_string("annotation/setup/preview_frame.html", task))
    return {
        "preview_page": page,
        "preview_is_example": candidate is None,
    }


def _first_candidate(study: Study) -> StudyCandidate | None:
    rated = study.candidates.filter(use=StudyCandidate.Use.RATED).select_related("instance")
    return rated.order_by("position").first()


def _example() -> StudyCandidate:
    instance = StudyInstance(
        passage=EXAMPLE_PASSAGE, question=EXAMPLE_QUESTION, references=[EXAMPLE_REFERENCE]
    )
    return StudyCandidate(pk=0, instance=instance, text=EXAMPLE_ANSWER)
