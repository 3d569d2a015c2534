"""The label in a model's answer."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.formats.judge_answers import MAX_RAW
from concord.judges.chat.schemas import score_in

_LABEL = r"-?\d{1,9}"
_LAST_LINE = re.compile(rf"^[^\w\n]*score:\W*({_LABEL})\W*$", re.IGNORECASE | re.MULTILINE)
_NUMBER = re.compile(rf"\W*({_LABEL})\W*")


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
    have one in its last line "Score: N", or, by schema, be an object with the score; anything else
    is invalid, and so are answers of more than MAX_RAW characters.
    """
    if len(text) > MAX_RAW:
        return Verdict(None, None, f"the answer has more than {MAX_RAW:,} characters")
    label = score_in(text) if by_schema else _label_in(text, is_reasoned=is_reasoned)
    if label is None:
        return Verdict(None, None, "no label")
    if not low <= label <= high:
        return Verdict(None, label, f"{label} is not from {low} to {high}")
    for tokens in reversed(logprobs or ()):
        weights: dict[int, float] = {}
        for token, logprob in tokens.items():
            number = _label_of(token)
            if number is not None and low <= number <= high:
                weights[number] = weights.get(number, 0.0) + math.exp(min(0.0, logprob))
        # The token's list has the label that was written; other numbers in a text are passed over.
        total = sum(weights.values())
        if label in weights and total > 0:
            score = sum(number * weight for number, weight in weights.items()) / total
            return Verdict(score, label)
    return Verdict(float(label), label)


def _label_in(text: str, *, is_reasoned: bool) -> int | None:
    if is_reasoned:
        labels = _LAST_LINE.findall(text)
        return int(labels[-1]) if labels else None
    match = _NUMBER.fullmatch(text.strip())
    return int(match[1]) if match else None


def _label_of(token: str) -> int | None:
    text = token.strip()
    return int(text) if re.fullmatch(_LABEL, text) else None
