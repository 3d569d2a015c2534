"""People's verdicts: an answer is correct if its gold score is at or above a threshold."""

from __future__ import annotations

import numpy as np

from concord.arrays import Booleans, Floats


def default_gold_threshold(gold: Floats, scale: tuple[float, float] | None = None) -> float:
    """The middle of the scale, or of the range of the scores where the scale is unknown.

    gold: (n,), NaN for "not judged". On a scale from 0 to 1 it is 0.5, on one from 1 to 5 it is 3.
    Raises ValueError without a scale or a finite score.
    """
    if scale is not None:
        return (scale[0] + scale[1]) / 2
    judged = gold[np.isfinite(gold)]
    if not len(judged):
        raise ValueError("no candidate has a gold score")
    return float(judged.min() + judged.max()) / 2


def gold_verdicts(gold: Floats, threshold: float) -> Booleans:
    """Whether people found each candidate correct, (n,): gold >= threshold. Gold is finite."""
    if not np.isfinite(gold).all():
        raise ValueError("gold holds values that are not finite")
    return np.asarray(gold >= threshold)


def one_verdict_reason(correct: Booleans) -> str:
    """Why figures that need both verdicts of people are undefined; empty where they gave both."""
    if not len(correct):
        return "there are no judged answers"
    if correct.all():
        return "people found every answer correct"
    return "" if correct.any() else "people found no answer correct"
