"""The progress of a study: completed steps, the next step, and later ones."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.stages.services.stage_plans import needs_no_ratings
from annotation.studies.models import Stage, Study
from annotation.studies.services.uploads import CandidateCounts, count_candidates

DONE, NOW, LATER = "done", "now", "later"


@dataclass(frozen=True)
class SetUpStep:
    """A step. `page` is the URL name of its page."""

    title: str
    text: str
    page: str
    state: str = LATER


def steps(study: Study, counts: CandidateCounts | None = None) -> list[SetUpStep]:
    """All steps in order. The first incomplete one is `now`, those after it `later`."""
    counts = counts or count_candidates(study)
    stages = list(study.stages.order_by("number"))
    all_steps = [
        (
            True,
            SetUpStep("Protocol", "The question, the instructions and the pay.", "study-protocol"),
        ),
        _candidates(study, counts),
        *(_stage(stage) for stage in stages),
        (
            False,
            SetUpStep(
                "Check, filter, adjudicate",
                "Check workers and agreement, filter ratings, and adjudicate disagreements.",
                "study-quality",
            ),
        ),
        (False, SetUpStep("Freeze", "Create the judgment set and see its board.", "study-freeze")),
    ]
    first = next(index for index, (done, _) in enumerate(all_steps) if not done)
    return [
        SetUpStep(step.title, step.text, step.page, _state(index, first, done))
        for index, (done, step) in enumerate(all_steps)
    ]


def next_step(study: Study, page: str = "") -> SetUpStep:
    """The next step for someone on `page`: the first incomplete step that is on another page."""
    open_steps = [step for step in steps(study) if step.state != DONE]
    return next((step for step in open_steps if step.page != page), open_steps[0])


def _state(index: int, first: int, done: bool) -> str:
    if index == first:
        return NOW
    return DONE if done else LATER


def _candidates(study: Study, counts: CandidateCounts) -> tuple[bool, SetUpStep]:
    test = study.current.protocol.qualification
    needed = test.candidates if test else 0
    is_planned = study.stages.filter(
        kind=Stage.Kind.QUALIFICATION, status=Stage.Status.PLANNED
    ).exists()
    text = "Upload the answers to be rated, as Concord JSON Lines or CSV."
    if counts.rated and is_planned and counts.qualification < needed:
        text = (
            f"Upload {needed} candidates with a correct rating for the qualification test; "
            f"there are {counts.qualification}."
        )
        return False, SetUpStep("Candidates", text, "study-candidates")
    return bool(counts.rated), SetUpStep("Candidates", text, "study-candidates")


def _stage(stage: Stage) -> tuple[bool, SetUpStep]:
    kind = Stage.Kind(stage.kind).label.lower()
    texts = {
        Stage.Status.PLANNED: f"Check the cost of the {kind} stage, then open it.",
        Stage.Status.OPEN: f"The {kind} stage is open. Close it when it has enough ratings.",
        Stage.Status.CLOSED: f"The {kind} stage is closed.",
    }
    step = SetUpStep(f"Stage: {kind}", texts[Stage.Status(stage.status)], "study-stages")
    return stage.status == Stage.Status.CLOSED or needs_no_ratings(stage), step
