"""The label in a model's answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.formats.judge_answers import MAX_RAW
from concord.formats.numbers import read_whole_number
from concord.judges.chat.schemas import score_in

READER_VERSION = 2
"""Changes with the rule by which answers are read. It is part of a judge's signature."""

MAX_LABEL = 999_999_999
NO_LABEL = "no label"

_SCORE_LINE = re.compile(r"^[^\w\n]*score:", re.IGNORECASE | re.MULTILINE)
# What may be around a label: spaces, marks of Markdown, quotation marks and brackets.
_BEFORE = " \t\r\n*_`#\"'\u201c\u201d\u2018\u2019\u00ab\u00bb()[]{}"
_AFTER = f"{_BEFORE}.!,;:"


@dataclass(frozen=True)
class Verdict:
    """score: from low to high, None where the answer has no valid label. label: the whole number
    that the model wrote. reason: why there is no score."""

    score: float | None
    label: int | None
    reason: str = ""


def read_verdict(
    text: str,
    logprobs: Sequence[Mapping[str, float]] | None,
    low: int,
    high: int,
    *,
    is_reasoned: bool = False,
    by_schema: bool = False,
) -> Verdict:
    """Read the label of an answer.

    logprobs: for each token of the answer, the log-probabilities of the most probable tokens. With
    them the score is the mean label, weighted by the probabilities of the labels among these
    tokens (G-Eval, Liu et al. 2023), at the last token that is a label; without them it is the
    label. The answer must be one whole number from low to high, or, where the model reasons first,
    have one in its last line "Score: N" (`read_whole_number`; in Markdown, quotation marks or
    brackets), or, by schema, be an object with the score. Anything else is invalid, and so are
    answers of more than MAX_RAW characters.
    """
    if len(text) > MAX_RAW:
        return Verdict(None, None, f"the answer has more than {MAX_RAW:,} characters")
    label = score_in(text) if by_schema else _label_in(text, is_reasoned=is_reasoned)
    if label is None:
        return Verdict(None, None, NO_LABEL)
    if isinstance(label, str):
        return Verdict(None, None, f"{NO_LABEL}: the answer {label}")
    if not low <= label <= high:
        stored = label if abs(label) <= MAX_LABEL else None
        return Verdict(None, stored, f"{label} is not from {low} to {high}")
    for tokens in reversed(logprobs or ()):
        weights: dict[int, float] = {}
        for token, logprob in tokens.items():
            number = read_whole_number(token)
            if isinstance(number, int) and low <= number <= high:
                weights[number] = weights.get(number, 0.0) + math.exp(min(0.0, logprob))
        # The token's list has the label that was written; other numbers in a text are passed over.
        total = sum(weights.values())
        if label in weights and total > 0:
            score = sum(number * weight for number, weight in weights.items()) / total
            return Verdict(score, label)
    return Verdict(float(label), label)


def _label_in(text: str, *, is_reasoned: bool) -> int | str | None:
    """The label of an answer, or the fault of what is in its place; None where nothing is."""
    if is_reasoned:
        lines = list(_SCORE_LINE.finditer(text))
        rest = text[lines[-1].end() :].lstrip(_BEFORE) if lines else ""
        text = rest.partition("\n")[0]
    text = text.lstrip(_BEFORE).rstrip(_AFTER)
    return read_whole_number(text) if text else None
