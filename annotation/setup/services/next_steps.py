"""The progress of a study: completed steps, the next step, and later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.urls import reverse

from annotation.stages.services import completing
from annotation.stages.services.stage_plans import needs_no_ratings
from annotation.studies.models import Stage, Study
from annotation.studies.services.candidate_counts import CandidateCounts, count_candidates
from annotation.studies.services.frozen_sets import frozen_sets

DONE, NOW, LATER = "done", "now", "later"
# The steps from a new study to its first open stage.
QUESTION, CANDIDATES, RULES = "Question and scale", "Candidates", "Raters and quality"
CHECK_AND_OPEN = "Check and open"
SET_UP = (QUESTION, CANDIDATES, RULES, CHECK_AND_OPEN)


@dataclass(frozen=True)
class SetUpStep:
    """A step. `page` is the URL name of its page, and `url` its URL.

    `is_judged`: only people can tell when it is done.
    """

    title: str
    text: str
    page: str
    url: str
    state: str = LATER
    is_judged: bool = False


def steps(study: Study, counts: CandidateCounts | None = None) -> list[SetUpStep]:
    """All steps in order. The first incomplete one is `now`, those after it `later`."""
    counts = counts or count_candidates(study)
    stages = list(study.stages.order_by("number"))
    frozen = frozen_sets(study)
    rules = _step(
        study,
        RULES,
        "Ratings per candidate, pay, tests of raters, and quality checks.",
        "study-protocol-rules",
        is_judged=True,
    )
    checked = _step(
        study,
        "Check, filter, adjudicate",
        "Check workers and agreement, filter ratings, and adjudicate disagreements.",
        "study-quality",
        is_judged=True,
    )
    all_steps = [
        (
            True,
            _step(
                study,
                QUESTION,
                "The question, the scale, and the instructions to raters.",
                "study-protocol",
            ),
        ),
        _candidates(study, counts),
        (any(stage.status != Stage.Status.PLANNED for stage in stages), rules),
        *(_stage(study, stage) for stage in stages),
        (bool(frozen), checked),
        _freeze(study, frozen),
    ]
    if frozen:
        all_steps.append((False, _scoring(frozen[-1])))
        if not study.current.protocol.compares and not study.for_set:
            all_steps.append((False, _pairs(study, frozen[-1])))
    first = next(index for index, (done, _) in enumerate(all_steps) if not done)
    return [
        replace(step, state=_state(index, first, done))
        for index, (done, step) in enumerate(all_steps)
    ]


def next_step(study: Study, page: str = "") -> SetUpStep | None:
    """The step to do next, for someone on `page`; None if an earlier page has to come first.

    It is the first incomplete step, which may be done on `page` itself. A step of which only people
    can tell when it is done is followed by the next one.
    """
    all_steps = steps(study)
    first = next(index for index, step in enumerate(all_steps) if step.state == NOW)
    own = [index for index, step in enumerate(all_steps) if step.page == page]
    if all_steps[first].page == page:
        return all_steps[first + 1] if all_steps[first].is_judged else all_steps[first]
    if not own or own[-1] < first:
        return all_steps[first]
    return all_steps[own[-1]] if all_steps[first].is_judged else None


@dataclass(frozen=True)
class SetUp:
    """A step of the set-up, the `number`-th of `count`, with the steps before and after it."""

    number: int
    count: int
    step: SetUpStep
    previous: SetUpStep | None = None
    following: SetUpStep | None = None


def set_up(study: Study, page: str) -> SetUp | None:
    """The step of the set-up whose page is `page`.

    None on other pages, and once a stage was opened.
    """
    if study.stages.exclude(status=Stage.Status.PLANNED).exists():
        return None
    *first, opening = steps(study)[: len(SET_UP)]
    path = [*first, replace(opening, title=CHECK_AND_OPEN)]
    pages = [step.page for step in path]
    if page not in pages:
        return None
    at = pages.index(page)
    return SetUp(
        at + 1,
        len(path),
        path[at],
        path[at - 1] if at else None,
        path[at + 1] if at + 1 < len(path) else None,
    )


def _step(study: Study, title: str, text: str, page: str, *, is_judged: bool = False) -> SetUpStep:
    return SetUpStep(title, text, page, reverse(page, args=[study.slug]), is_judged=is_judged)


def _state(index: int, first: int, done: bool) -> str:
    if index == first:
        return NOW
    return DONE if done else LATER


def _freeze(study: Study, frozen: Sequence[str]) -> tuple[bool, SetUpStep]:
    text = "Create the judgment set and see its board."
    if frozen:
        text = f"Frozen as {frozen[-1]}. Freezing again makes the next version."
    return bool(frozen), _step(study, "Freeze", text, "study-freeze")


def _pairs(study: Study, judgment_set: str) -> SetUpStep:
    text = f"Have pairs rated that are written now. They join the next version of {judgment_set}."
    return _step(study, "Collect minimal pairs", text, "study-pairs")


def _scoring(judgment_set: str) -> SetUpStep:
    return SetUpStep(
        f"Judgment set {judgment_set}",
        "Score metrics on it, and see which of them predicts the ratings best.",
        "judgment-set",
        reverse("judgment-set", args=[judgment_set]),
    )


def _candidates(study: Study, counts: CandidateCounts) -> tuple[bool, SetUpStep]:
    test = study.current.protocol.qualification
    needed = test.candidates if test else 0
    is_planned = study.stages.filter(
        kind=Stage.Kind.QUALIFICATION, status=Stage.Status.PLANNED
    ).exists()
    text = "Upload the answers to be rated: a table (CSV, XLSX) or JSON Lines."
    if counts.rated and is_planned and counts.qualification < needed:
        text = (
            f"Upload {needed} candidates with a correct rating for the qualification test; "
            f"there are {counts.qualification}."
        )
        return False, _step(study, CANDIDATES, text, "study-candidates")
    return bool(counts.rated), _step(study, CANDIDATES, text, "study-candidates")


def _stage(study: Study, stage: Stage) -> tuple[bool, SetUpStep]:
    kind = Stage.Kind(stage.kind).label.lower()
    if stage.status == Stage.Status.PLANNED:
        text = f"Check the cost of the {kind} stage, then open it."
    elif stage.status == Stage.Status.CLOSED:
        text = f"The {kind} stage is closed."
    elif completing.has_all_ratings(stage):
        text = f"The {kind} stage has all its ratings. Close it."
    else:
        text = f"The {kind} stage is open. Close it when it has enough ratings."
    step = _step(study, f"Stage: {kind}", text, "study-stages")
    return stage.status == Stage.Status.CLOSED or needs_no_ratings(stage), step
