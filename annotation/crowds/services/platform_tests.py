"""The study's qualification test for platforms that run tests themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.crowds.providers.provider import Test, TestItem, TestQuestion
from annotation.crowds.services.pages import plain_texts, shown_parts
from annotation.rating.services.main_choices import choices
from annotation.stages.services.stage_plans import candidates_in, planned_hits
from annotation.studies.intake import numbered_texts
from annotation.studies.models import Stage, Study, StudyCandidate
from concord.protocols import Criterion, Protocol
from concord.protocols.criteria import NO, YES
from core.refusals import RefusedError

# The kinds whose answers a form with one choice for each question can ask for and score.
SCORED_KINDS = ("scale", "choice", "yes-no", "worst")
# The values of a question with their labels.
Options = tuple[tuple[str, str], ...]


def test_of(study: Study) -> Test | None:
    """The study's qualification stage as a test for a platform; None without one.

    It asks the questions that have a key, and each counts by itself, as here: the best and the
    worst of a set are two. Raises RefusedError if its candidates are missing, and as
    `check_platform_test` does.
    """
    protocol = study.current.protocol
    rules = protocol.qualification
    stage = study.stages.filter(kind=Stage.Kind.QUALIFICATION).select_related("study").first()
    if rules is None or stage is None:
        return None
    check_platform_test(study)
    return Test(
        title=f"Test: {study.title}",
        question=protocol.question,
        instructions="\n\n".join(filter(None, (protocol.instructions, protocol.examples))),
        items=tuple(
            _item(protocol, candidate) for candidate in candidates_in(planned_hits(stage)).values()
        ),
        pass_percent=round(100 * rules.pass_share),
        minutes=protocol.time_limit_minutes,
        tries=rules.tries,
    )


def check_platform_test(study: Study) -> None:
    """Raise RefusedError where the test has keys that a platform's own test cannot score."""
    protocol = study.current.protocol
    if protocol.qualification is None:
        return
    rows = study.candidates.filter(use=StudyCandidate.Use.QUALIFICATION)
    kinds = {criterion.name: criterion.kind for criterion in protocol.criteria}
    refused = {
        f"“{name}” ({kinds.get(name, 'unknown')})"
        for answers in rows.values_list("expected_answers", flat=True)
        for name in answers
        if kinds.get(name) not in SCORED_KINDS
    }
    if protocol.scale_kind == "slider" and rows.filter(expected__isnull=False).exists():
        refused.add("the main question (slider)")
    if refused:
        raise RefusedError(
            "The platform's own test scores one choice for each question. It cannot score correct "
            f"answers to {', '.join(sorted(refused))}. Upload test items without these, or recruit "
            "by a link or on Prolific, where raters take the test on this site.",
            "study-refused",
        )


def _item(protocol: Protocol, candidate: StudyCandidate) -> TestItem:
    # In the file's order, the place of the better answer could give the key away.
    order, compared = shown_parts(candidate)
    question, text = plain_texts(candidate)
    return TestItem(
        candidate.instance.passage,
        question,
        tuple(candidate.instance.references),
        numbered_texts(compared) if compared else text,
        _questions(protocol, candidate, order),
    )


def _questions(
    protocol: Protocol, candidate: StudyCandidate, order: Sequence[int]
) -> tuple[TestQuestion, ...]:
    rules = protocol.qualification
    assert rules is not None
    questions = []
    points = choices(protocol, order)
    main_options = tuple((str(one.value), f"{one.number}: {one.label}") for one in points)
    if candidate.expected is not None:
        values = [point.value for point in protocol.scale]
        right = [str(v) for v in values if abs(v - candidate.expected) <= rules.tolerance]
        key = f"c{candidate.pk}"
        questions.append(TestQuestion(key, protocol.question, main_options, tuple(right)))
    for number, criterion in enumerate(protocol.criteria):
        if criterion.name in candidate.expected_answers:
            options, right = _options(
                criterion, candidate.expected_answers[criterion.name], main_options
            )
            key = f"c{candidate.pk}-{number}"
            questions.append(TestQuestion(key, criterion.question, options, tuple(right)))
    return tuple(questions)


def _options(
    criterion: Criterion,
    key: Any,  # noqa: ANN401 - an answer to a criterion of its kind
    main_options: Options,
) -> tuple[Options, list[str]]:
    """The values of a criterion with their labels, and those that are right.

    main_options: those of the main question, which the question for the worst of a set has too.
    """
    if criterion.kind == "worst":
        return main_options, [str(key)]
    if criterion.kind == "yes-no":
        return ((YES, "Yes"), (NO, "No")), [YES if key else NO]
    if criterion.kind == "choice":
        numbered = [(str(at), option) for at, option in enumerate(criterion.options)]
        return tuple(numbered), [at for at, option in numbered if option == key]
    points = tuple((str(p.value), f"{p.value}: {p.label}") for p in criterion.points)
    near = [p.value for p in criterion.points if abs(p.value - key) <= criterion.key_tolerance]
    return points, [str(value) for value in near]
