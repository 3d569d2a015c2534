"""The way through a study: what is done, what comes next, and what is still to come."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.stages.services.stage_plans import is_spared
from annotation.studies.models import Stage, Study
from annotation.studies.services.uploads import Intake, intake_report

DONE, NOW, LATER = "done", "now", "later"


@dataclass(frozen=True)
class SetUpStep:
    """A step: `page` names the address of the page it is done on."""

    title: str
    text: str
    page: str
    state: str = LATER


def steps(study: Study, taken: Intake | None = None) -> list[SetUpStep]:
    """All steps in order; the first that is not done is `now`, those after it `later`."""
    taken = taken or intake_report(study)
    stages = list(study.stages.order_by("number"))
    found = [
        (True, SetUpStep("Protocol", "What raters are asked, and for what pay.", "study-protocol")),
        _candidates(study, taken),
        *(_stage(stage) for stage in stages),
        (
            False,
            SetUpStep(
                "Check, filter, settle",
                "Look at workers and agreement, filter in the ledger, settle what raters split on.",
                "study-quality",
            ),
        ),
        (False, SetUpStep("Freeze", "Make the judgment set and see its board.", "study-freeze")),
    ]
    first = next(at for at, (done, _) in enumerate(found) if not done)
    return [
        SetUpStep(step.title, step.text, step.page, _state(at, first, done))
        for at, (done, step) in enumerate(found)
    ]


def next_step(study: Study, page: str = "") -> SetUpStep:
    """What comes next for someone who is on `page`: the first step to do, or, where that is done
    on this very page, the first after it that is done on another."""
    ahead = [step for step in steps(study) if step.state != DONE]
    return next((step for step in ahead if step.page != page), ahead[0])


def _state(at: int, first: int, done: bool) -> str:
    if at == first:
        return NOW
    return DONE if done else LATER


def _candidates(study: Study, taken: Intake) -> tuple[bool, SetUpStep]:
    test = study.current.protocol.qualification
    needed = test.candidates if test else 0
    waits = study.stages.filter(kind=Stage.Kind.QUALIFICATION, status=Stage.Status.PLANNED).exists()
    text = "Upload the answers to be rated, as Concord JSON Lines or CSV."
    if taken.rated and waits and taken.qualification < needed:
        text = (
            f"Upload {needed} candidates with a right value for the qualification test; "
            f"there are {taken.qualification}."
        )
        return False, SetUpStep("Candidates", text, "study-candidates")
    return bool(taken.rated), SetUpStep("Candidates", text, "study-candidates")


def _stage(stage: Stage) -> tuple[bool, SetUpStep]:
    kind = Stage.Kind(stage.kind).label.lower()
    texts = {
        Stage.Status.PLANNED: f"See what the {kind} stage costs, then open it.",
        Stage.Status.OPEN: f"The {kind} stage is open. Close it when it has enough ratings.",
        Stage.Status.CLOSED: f"The {kind} stage is closed.",
    }
    step = SetUpStep(f"Stage: {kind}", texts[Stage.Status(stage.status)], "study-stages")
    return stage.status == Stage.Status.CLOSED or is_spared(stage), step
