"""The label in a model's answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from concord.formats.judge_answers import MAX_RAW
from concord.formats.numbers import read_whole_number
from concord.judges.chat.schemas import score_in
from concord.judges.chat.score_forms import StatedScore, stated_score
from concord.judges.orders import BOTH_BAD_LABEL, TIE_LABEL

READER_VERSION = 4
"""Changes with the rule by which answers are read. It is part of a judge's signature."""

MAX_LABEL = 999_999_999
NO_LABEL = "no label"


@dataclass(frozen=True)
class ReadLabel:
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
    takes_ties: bool = False,
) -> ReadLabel:
    """Read the label of an answer.

    logprobs: for each token of the answer, the log-probabilities of the most probable tokens, the
    written one first. With them the score is the mean label, weighted by the probabilities of the
    labels among these tokens (G-Eval, Liu et al. 2023), at the last token of the stated score that
    has the label; without them it is the label. The answer must state one whole number from low to
    high in a form of `stated_score`, or, by schema, be an object with the score. Anything else is
    invalid, and so are answers of more than MAX_RAW characters. takes_ties: of two answers; a tie
    has the score between low and high, and a label of its own.
    """
    if len(text) > MAX_RAW:
        return ReadLabel(None, None, f"the answer has more than {MAX_RAW:,} characters")
    if by_schema:
        stated = StatedScore(score_in(text), end=len(text))
    else:
        stated = stated_score(text, high, is_reasoned=is_reasoned, takes_ties=takes_ties)
    label = stated.label
    if label is None:
        fault = f": the answer {stated.fault}" if stated.fault else ""
        return ReadLabel(None, None, f"{NO_LABEL}{fault}")
    if takes_ties and label in (TIE_LABEL, BOTH_BAD_LABEL):
        return ReadLabel((low + high) / 2, label)
    if not low <= label <= high:
        stored = label if abs(label) <= MAX_LABEL else None
        return ReadLabel(None, stored, f"{label} is not from {low} to {high}")
    for tokens in reversed(_tokens_until(stated.end, text, logprobs or ())):
        weights: dict[int, float] = {}
        for token, logprob in tokens.items():
            number = read_whole_number(token)
            if isinstance(number, int) and low <= number <= high:
                weights[number] = weights.get(number, 0.0) + math.exp(min(0.0, logprob))
        # The token's list has the label that was written; other numbers in a text are passed over.
        total = sum(weights.values())
        if label in weights and total > 0:
            score = sum(number * weight for number, weight in weights.items()) / total
            return ReadLabel(score, label)
    return ReadLabel(float(label), label)


def _tokens_until(
    end: int, text: str, logprobs: Sequence[Mapping[str, float]]
) -> Sequence[Mapping[str, float]]:
    """The tokens that begin in the first `end` characters of a text; all, where the text is not
    made of the tokens."""
    written = [next(iter(tokens), "") for tokens in logprobs]
    if "".join(written) != text:
        return logprobs
    begins = accumulate(map(len, written), initial=0)
    return [tokens for tokens, begin in zip(logprobs, begins, strict=False) if begin < end]
