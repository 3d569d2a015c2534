"""What a judge may be used for: one sentence from the tests, by a fixed rule.

The rule is documented in docs/explanation/judges.md. For each of two uses, the answer is yes, no,
or open; where it is open, so is how many rated passages would settle it.

Single answers (the judge stands in for one of several raters): yes if it passes the alternative
annotator test with dependent items and the interval of its rho lies above the rho of every judge
that does not look at the item. Open if both hold for the estimates alone. Else no.

Order of systems: yes if people separate at least MIN_PAIRS pairs of systems and the judge orders
all of these as people do, each significantly after Holm's correction. No if it orders one of them
the other way, significantly. Else open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from concord.inference import POWER, clustered_error, factor_to_exclude
from concord.judges.alternative_annotator import PASSING_RATE, AltTest, RaterComparison
from concord.judges.system_order import SystemDifference
from concord.sentences import counted, rounded_up

MIN_PAIRS = 3
Answer = Literal["yes", "no", "open"]


@dataclass(frozen=True)
class JudgeUse:
    """answer: whether the judge may be used so. reason: why, half a sentence. passages: about how
    many rated passages in all would settle an open question; None where no number would, or none
    is known. rated: passages that are rated now."""

    answer: Answer
    reason: str
    passages: int | None = None
    rated: int = 0


def use_for_items(
    test: AltTest,
    comparison: RaterComparison,
    *,
    baseline: tuple[str, float],
    epsilon: float,
    q: float = 0.05,
) -> JudgeUse:
    """Whether a judge may stand in for one of the raters on single answers.

    test: with dependent items, and the interval of rho. baseline: name and rho of the best judge
    that does not look at the item. The number of passages is that at which half of the raters are
    rejected with a power of 80% and the interval of rho lies above the baselines, if the estimates
    are the truth.
    """
    rho, low = test.advantage.value, test.advantage.low
    if rho is None or low is None:
        return JudgeUse("open", test.advantage.reason or "rho has no interval")
    blind, best_baseline = baseline
    beats = low > best_baseline
    if test.passed and beats:
        return JudgeUse(
            "yes", "it passes the test and beats every judge that does not look at the item"
        )
    means, errors, passages = _rater_differences(comparison, test)
    if float(np.mean(means < epsilon)) < PASSING_RATE:
        return JudgeUse("no", "it agrees with the raters less than they agree with one another")
    if rho <= best_baseline:
        return JudgeUse("no", f"the judge '{blind}', which does not look at the item, does as well")
    factor = max(
        _factor_of_test(means, errors, epsilon, q), factor_to_exclude(rho, low, best_baseline)
    )
    reason = "the test is not passed yet" if not test.passed else (
        f"it is not yet clearly better than the judge '{blind}', which does not look at the item"
    )  # fmt: skip
    if not math.isfinite(factor):
        return JudgeUse("open", reason)
    return JudgeUse("open", reason, math.ceil(passages * max(1.0, factor)), passages)


def use_for_systems(differences: Sequence[SystemDifference]) -> JudgeUse:
    """Whether the judge orders systems as people do; `differences` has one pair or more.

    The number of passages is that at which people separate MIN_PAIRS pairs, or at which all of the
    judge's differences are significant, if they are real; each with a power of 80%.
    """
    rated = max(row.passages for row in differences)
    separated = [row for row in differences if row.is_separated]
    agreeing = [row for row in separated if row.verdict == "same order"]
    for row in separated:
        if row.verdict == "other order":
            reason = f"people prefer {row.first} to {row.second}, and it clearly does not"
            if len(separated) > 1:
                reason += f"; {len(agreeing)} of {len(separated)} pairs have people's order"
            return JudgeUse("no", reason)
    if len(differences) < MIN_PAIRS:
        return JudgeUse("open", "there are too few systems to tell")
    if len(separated) < MIN_PAIRS:
        needed = sorted(row.needed for row in differences if row.needed is not None)
        passages = needed[MIN_PAIRS - 1] if len(needed) >= MIN_PAIRS else None
        return JudgeUse(
            "open",
            f"people separate {len(separated)} of {counted(len(differences), 'pair')} of systems",
            passages,
            rated,
        )
    if len(agreeing) < len(separated):
        reason = (
            f"it clearly orders {len(agreeing)} of the {counted(len(separated), 'pair')} of "
            "systems that people separate as they do"
        )
        missing = [row.judge_needed for row in separated if row.verdict != "same order"]
        known = [passages for passages in missing if passages is not None]
        return JudgeUse("open", reason, max(known) if len(known) == len(missing) else None, rated)
    return JudgeUse(
        "yes", f"it clearly orders all {len(separated)} pairs that people separate as they do"
    )


def recommend(
    name: str, items: JudgeUse | None, systems: JudgeUse | None, *, ratings: float | None = None
) -> str:
    """What the judge of this name may be used for, in words. items, systems: None for a use that
    cannot be tested. ratings: of a rated passage, the mean number; None where single ratings are
    not known."""
    uses = [
        (use, what)
        for use, what in ((items, "stand in for a rater on single answers"),
                          (systems, "be used to order systems"))
        if use is not None
    ]  # fmt: skip
    if not uses:
        return f"Nothing can be said of {name} here."
    if items is not None and systems is not None and items.answer == systems.answer == "no":
        return (
            f"{name} should not be used in the place of people here, neither for single answers "
            f"({items.reason}) nor to order systems ({systems.reason})."
        )
    parts = [
        _clause(use, subject, what, ratings)
        for (use, what), subject in zip(uses, (name, "it"), strict=False)
    ]
    return f"Here {'; '.join(parts)}."


def _clause(use: JudgeUse, subject: str, what: str, ratings: float | None) -> str:
    words = {
        "yes": f"{subject} may {what}",
        "no": f"{subject} should not {what}",
        "open": f"it is open whether {subject} may {what}",
    }
    reason = use.reason
    if use.passages is not None:
        more = max(1, use.passages - use.rated)
        reason += f"; about {counted(rounded_up(more), 'more rated passage')}"
        if ratings is not None:
            reason += f", {counted(rounded_up(math.ceil(more * ratings)), 'rating')},"
        reason += " would settle it"
    return f"{words[use.answer]} ({reason})"


def factor_to_tell(
    comparison: RaterComparison, test: AltTest, *, epsilon: float, q: float = 0.05
) -> float:
    """How many times as many passages tell whether half of the raters have an advantage of less
    than epsilon, with a power of 80%, if the estimates are the truth. test: with dependent items
    where passages are known."""
    means, errors, _ = _rater_differences(comparison, test)
    return max(
        1.0,
        min(
            _factor_of_test(means, errors, epsilon, q), _factor_of_test(-means, errors, -epsilon, q)
        ),
    )


def _rater_differences(
    comparison: RaterComparison, test: AltTest
) -> tuple[np.ndarray, np.ndarray, int]:
    """(mean of rater wins - judge wins, its clustered standard error) of each tested rater, and
    the number of clusters."""
    people = comparison.people
    means, errors = [], []
    clusters: set[int] = set()
    for code, name in enumerate(people.raters):
        if test.raters[name].p is None:
            continue
        rows, columns = comparison.positions(code)
        d = comparison.rater_wins[rows, columns] - comparison.judge_wins[rows, columns]
        means.append(float(d.mean()))
        errors.append(clustered_error(d, people.clusters[rows])[0])
        clusters.update(people.clusters[rows].tolist())
    return np.array(means), np.array(errors), len(clusters)


def _factor_of_test(means: np.ndarray, errors: np.ndarray, epsilon: float, q: float) -> float:
    """How many times as many passages reject H0 for half of the raters, with a power of 80%."""
    raters = len(means)
    level = q / sum(1 / k for k in range(1, raters + 1))  # Benjamini and Yekutieli, all rejected
    quantiles = scipy.special.ndtri(POWER) - scipy.special.ndtri(level)
    factors = np.full(raters, np.inf)
    within = means < epsilon
    factors[within] = (quantiles * errors[within] / (epsilon - means[within])) ** 2
    return float(np.sort(factors)[math.ceil(raters * PASSING_RATE) - 1])
