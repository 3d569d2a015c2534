"""What is accepted as a rating of a task, complete or not yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Count
from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from annotation.rating.models import Assignment, HitCandidate
from annotation.rating.services.answer_texts import problem_text
from concord.protocols import Answers, answer_problems
from concord.protocols.criteria import whole_number

COMMENT_CHARS = 5_000
CANNOT = "cannot"
CLOSED = gettext_lazy("This task was submitted or returned and can no longer be changed.")


class RatingRefusedError(ValueError):
    """A rating or submission that is not accepted. The message tells the worker what to do."""


@dataclass(frozen=True)
class RatingInput:
    """A worker's rating of a candidate. `value` None means "cannot judge" and needs a comment.

    answers: those to the protocol's criteria, by name.
    """

    value: int | None
    comment: str = ""
    seconds: float | None = None
    answers: Answers = field(default_factory=dict)


@dataclass(frozen=True)
class DraftInput:
    """An answer that is not finished. `choice` is a value of the main question as text, CANNOT, or
    empty."""

    choice: str = ""
    comment: str = ""
    seconds: float | None = None
    answers: Answers = field(default_factory=dict)


def check_rating(assignment: Assignment, candidate_id: int, rating: RatingInput) -> int:
    """The number of compared candidates, 0 for a single one. Raises RatingRefusedError."""
    if rating.value is None and not rating.comment.strip():
        raise RatingRefusedError(
            gettext("Explain in a few words why you cannot judge this answer.")
        )
    return _check(assignment, candidate_id, rating, rating.value, complete=True)


def check_draft(assignment: Assignment, candidate_id: int, draft: DraftInput) -> None:
    """Raise RatingRefusedError for what could be no part of a valid rating.

    Answers, a category or the reason of "cannot judge" may be missing.
    """
    value = whole_number(draft.choice)
    if value is None and draft.choice not in ("", CANNOT):
        raise RatingRefusedError(gettext("Choose one of the values."))
    _check(assignment, candidate_id, draft, value, complete=False)


def _check(
    assignment: Assignment,
    candidate_id: int,
    content: RatingInput | DraftInput,
    value: int | None,
    *,
    complete: bool,
) -> int:
    protocol = assignment.protocol_version.protocol
    members = HitCandidate.objects.filter(hit=assignment.hit_id, candidate=candidate_id)
    members = members.annotate(compared=Count("candidate__parts"))
    member = members.values_list("candidate__text", "compared").first()
    if member is None:
        raise RatingRefusedError(gettext("This answer is not part of this task."))
    text, compared = member
    high = compared if protocol.unit == "set" else protocol.high
    if len(content.comment) > COMMENT_CHARS:
        raise RatingRefusedError(
            gettext("A comment may have at most %(limit)s characters.")
            % {"limit": number_format(COMMENT_CHARS, force_grouping=True)}
        )
    if value is not None and not protocol.low <= value <= high:
        raise RatingRefusedError(
            gettext("Choose a value from %(low)s to %(high)s.")
            % {"low": protocol.low, "high": high}
        )
    problems = answer_problems(
        protocol, value, content.answers, text, compared=compared, complete=complete
    )
    for problem in problems:
        raise RatingRefusedError(problem_text(problem))
    return int(compared)
