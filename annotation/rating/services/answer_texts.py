"""Answers to a protocol's questions and their problems, in the rater's language."""

from __future__ import annotations

from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, pgettext

from annotation.rating.services.span_fields import MarkedPart
from concord.protocols import AnswerProblem, Criterion, Protocol
from concord.protocols.answers import ANSWER_CHARS, MAX_SPANS


def severity_name(severity: str) -> str:
    """A severity of a marked part."""
    names = {
        "minor": pgettext("severity", "minor"),
        "major": pgettext("severity", "major"),
        "critical": pgettext("severity", "critical"),
    }
    return names[severity]


def yes_or_no(answer: bool) -> str:
    return pgettext("answer", "Yes") if answer else pgettext("answer", "No")


def main_answer_text(protocol: Protocol, value: int | None) -> str:
    """A value of the main question, with the label of its point.

    Of a set it is the number of the best in the set's own order, as in its text: the labels name
    the places at which a rater saw the candidates.
    """
    if value is None:
        return gettext("cannot judge")
    if protocol.unit == "set":
        return str(value)
    labels = {point.value: f"{point.value}: {point.label}" for point in protocol.scale}
    return labels.get(value, str(value))


def answer_text(
    criterion: Criterion,
    answer: Any,  # noqa: ANN401 - an answer to a criterion of its kind
    text: str,
) -> str:
    """An answer to a criterion; text: that of the candidate, whose parts are marked."""
    if answer is None:
        return gettext("No answer")
    if isinstance(answer, bool):
        return yes_or_no(answer)
    if criterion.kind == "spans":
        return "; ".join(_span_text(span, text) for span in answer) or gettext("Nothing is marked")
    if isinstance(answer, list):
        return "; ".join(answer)
    labels = {point.value: f"{point.value}: {point.label}" for point in criterion.points}
    return labels.get(answer, str(answer))


def _span_text(span: MarkedPart, text: str) -> str:
    start, end = span["start"], span["end"]
    part = gettext("Something is missing") if start is None else f"“{text[start:end]}”"
    kinds = ", ".join([severity_name(span["severity"]), *span["categories"]])
    return f"{part} ({kinds})"


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
