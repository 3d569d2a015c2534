"""Problems of answers to criteria, in the rater's language."""

from __future__ import annotations

from django.utils.formats import number_format
from django.utils.translation import gettext

from concord.protocols import AnswerProblem
from concord.protocols.answers import ANSWER_CHARS, MAX_SPANS


def problem_text(problem: AnswerProblem) -> str:
    """What the worker is to do, with the criterion's question."""
    criterion = problem.criterion
    if criterion is None:
        return gettext("This task does not ask “%(name)s”.") % {"name": problem.name}
    match problem.reason:
        case "missing":
            text = gettext("Answer this question.")
        case "not asked":
            text = gettext("This question does not follow from your other answers.")
        case "range":
            text = gettext("Choose a value from %(low)s to %(high)s.") % {
                "low": criterion.low,
                "high": criterion.high,
            }
        case "same":
            text = gettext("Choose another answer than the best one.")
        case "span":
            text = gettext("Choose what each marked part is.")
        case "many":
            text = gettext("Mark at most %(limit)s parts.") % {"limit": MAX_SPANS}
        case "length":
            text = gettext("An answer may have at most %(limit)s characters.") % {
                "limit": number_format(ANSWER_CHARS, force_grouping=True)
            }
        case _:
            text = gettext("Choose one of the values.")
    return f"{criterion.question} {text}"
