"""What is accepted as a rating of a task, complete or not yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy

from annotation.rating.services.answer_texts import problem_text
from concord.protocols import Answers, Protocol, answer_problems
from core.refusals import RefusedError

COMMENT_CHARS = 5_000
CANNOT = "cannot"
CLOSED = gettext_lazy("This task was submitted or returned and can no longer be changed.")


@dataclass(frozen=True)
class Answer:
    """What a worker answers about a candidate: a rating, or a draft of one.

    value: of the main question; None means "cannot judge". answers: those to the protocol's
    criteria, by name. is_draft: not finished; questions may be open. is_chosen: False of a draft
    whose main question is open.
    """

    value: int | None = None
    comment: str = ""
    seconds: float | None = None
    answers: Answers = field(default_factory=dict)
    is_draft: bool = False
    is_chosen: bool = True

    @property
    def choice(self) -> str:
        """The value of the main field: that of the question, CANNOT, or empty."""
        if not self.is_chosen:
            return ""
        return CANNOT if self.value is None else str(self.value)

    def to_json(self) -> dict[str, object]:
        return {
            "choice": self.choice,
            "answers": self.answers,
            "comment": self.comment,
            "seconds": self.seconds,
        }


def explained_choices(protocol: Protocol) -> list[str]:
    """The values of the main field that need a comment."""
    ends = [point.value for point in protocol.scale]  # none of a protocol that is being written
    values = (None, *range(min(ends, default=0), max(ends, default=-1) + 1))
    return [Answer(value).choice for value in values if protocol.needs_comment(value)]


@dataclass(frozen=True)
class RatedUnit:
    """The text of what is rated, and the number of compared candidates: 0 for a single one."""

    text: str
    compared: int


def check_answer(protocol: Protocol, unit: RatedUnit | None, answer: Answer) -> RatedUnit:
    """The unit of a valid answer; None stands for one of another task.

    Answers, a category or a needed comment may be missing in a draft. Raises RefusedError.
    """
    if unit is None:
        raise RefusedError(gettext("This answer is not part of this task."), "rating-refused")
    high = unit.compared if protocol.unit == "set" else protocol.high
    if len(answer.comment) > COMMENT_CHARS:
        raise RefusedError(
            gettext("A comment may have at most %(limit)s characters.")
            % {"limit": number_format(COMMENT_CHARS, force_grouping=True)},
            "rating-refused",
        )
    is_complete, value = not answer.is_draft, answer.value
    if is_complete and protocol.needs_comment(value) and not answer.comment.strip():
        raise RefusedError(
            gettext("Explain in a few words why you cannot judge this answer."), "rating-refused"
        )
    if value is not None and not protocol.low <= value <= high:
        raise RefusedError(
            gettext("Choose a value from %(low)s to %(high)s.")
            % {"low": protocol.low, "high": high},
            "rating-refused",
        )
    problems = answer_problems(
        protocol, value, answer.answers, unit.text, compared=unit.compared, complete=is_complete
    )
    for problem in problems:
        raise RefusedError(problem_text(problem), "rating-refused")
    return unit
