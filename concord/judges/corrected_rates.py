"""The share of correct answers, from a judge whose errors are known from a sample."""

from __future__ import annotations

import math

from concord.inference import Z95, Estimate


def corrected_rate(
    *,
    judged_correct: float,
    judged: float,
    correct_accepted: float,
    correct: float,
    wrong_rejected: float,
    wrong: float,
) -> Estimate:
    """Rogan and Gladen's estimate (1978): (p + TNR - 1) / (TPR + TNR - 1), cut to [0, 1].

    p = judged_correct / judged, on answers that people did not label. TPR = correct_accepted /
    correct and TNR = wrong_rejected / wrong, on answers that people labelled, which must be other
    answers of the same system: rates of other systems bias the estimate. The interval is that of
    Lang and Reiczigel (2014), which carries the uncertainty of all three shares. There is no
    estimate where the 95% interval of TPR + TNR - 1 (delta method, with their adjusted counts)
    reaches 0. Answers are independent; for several answers to one passage see
    `clustered_corrected_rate`, which passes counts of as many independent ones.
    Raises ValueError for counts outside of their totals, and for `judged` of 0.
    """
    pairs = ((judged_correct, judged), (correct_accepted, correct), (wrong_rejected, wrong))
    for part, whole in pairs:
        if not 0 <= part <= whole:
            raise ValueError(f"{part} of {whole} is no share: counts lie from 0 to their total")
    if judged == 0:
        raise ValueError("the judge judged no answer")
    if not correct or not wrong:
        missing = "correct" if not correct else "wrong"
        return Estimate(None, reason=f"people found no labelled answer {missing}")
    tpr, tnr = correct_accepted / correct, wrong_rejected / wrong
    # Lang and Reiczigel's adjusted counts: one more success and failure for TPR and TNR, Agresti
    # and Coull's z^2 for p.
    n_p, n_tpr, n_tnr = judged + Z95**2, correct + 2, wrong + 2
    p = (judged_correct + Z95**2 / 2) / n_p
    a, b = (correct_accepted + 1) / n_tpr, (wrong_rejected + 1) / n_tnr
    youden = a + b - 1
    var_a, var_b, var_p = a * (1 - a) / n_tpr, b * (1 - b) / n_tnr, p * (1 - p) / n_p
    if youden - Z95 * math.sqrt(var_a + var_b) <= 0:
        reason = (
            "the judge may not tell right from wrong: the interval of TPR + TNR - 1 reaches 0. "
            "Label more answers, or use another judge"
        )
        return Estimate(None, reason=reason)
    rate = (p + b - 1) / youden
    shift = 2 * Z95**2 * (rate * var_a - (1 - rate) * var_b)
    half = Z95 * math.sqrt(var_p + rate**2 * var_a + (1 - rate) ** 2 * var_b) / youden
    point = (judged_correct / judged + tnr - 1) / (tpr + tnr - 1) if tpr + tnr > 1 else rate
    point, low, high = (
        min(1.0, max(0.0, one)) for one in (point, rate + shift - half, rate + shift + half)
    )
    return Estimate(point, low, high)
