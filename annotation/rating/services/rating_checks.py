"""What is accepted as a rating of a task, complete or not yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from annotation.rating.services.answer_texts import problem_text
from concord.protocols import Answers, Protocol, answer_problems
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


@dataclass(frozen=True)
class RatedUnit:
    """The text of what is rated, and the number of compared candidates: 0 for a single one."""

    text: str
    compared: int


def check_rating(protocol: Protocol, unit: RatedUnit | None, rating: RatingInput) -> RatedUnit:
    """The unit of a valid rating; None stands for one of another task.

    Raises RatingRefusedError.
    """
    if rating.value is None and not rating.comment.strip():
        raise RatingRefusedError(
            gettext("Explain in a few words why you cannot judge this answer.")
        )
    return _check(protocol, unit, rating, rating.value, complete=True)


def check_draft(protocol: Protocol, unit: RatedUnit | None, draft: DraftInput) -> None:
    """Raise RatingRefusedError for what could be no part of a valid rating.

    Answers, a category or the reason of "cannot judge" may be missing.
    """
    value = whole_number(draft.choice)
    if value is None and draft.choice not in ("", CANNOT):
        raise RatingRefusedError(gettext("Choose one of the values."))
    _check(protocol, unit, draft, value, complete=False)


def _check(
    protocol: Protocol,
    unit: RatedUnit | None,
    content: RatingInput | DraftInput,
    value: int | None,
    *,
    complete: bool,
) -> RatedUnit:
    if unit is None:
        raise RatingRefusedError(gettext("This answer is not part of this task."))
    high = unit.compared if protocol.unit == "set" else protocol.high
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
        protocol, value, content.answers, unit.text, compared=unit.compared, complete=complete
    )
    for problem in problems:
        raise RatingRefusedError(problem_text(problem))
    return unit
