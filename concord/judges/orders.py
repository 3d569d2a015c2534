"""Position bias: what a judge prefers when two answers are shown in both orders."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.arrays import Floats, Integers
from concord.documents.conversion import fields_to_json
from concord.formats.both_orders import BothOrders
from concord.formats.choices import BOTH_BAD, AnswerCounts, ChoiceAnswer, as_choice
from concord.formats.instances import passage_key
from concord.formats.records import ChoiceRecord, PairRecord
from concord.inference import Estimate, RareChanges, clustered_share, sign_flips
from concord.judges.probes import sign_verdict
from concord.meta.judged_pairs import share_of_first
from concord.reliability import RaterPairs, Ratings
from concord.sentences import counted
from concord.tables import ResultTable, figure, text
from concord.tables.result import Result

# After a pair's key: the id of a judge's answer in this order.
AS_GIVEN, SWAPPED = "as given", "swapped"
# Labels of a judge's answers that prefer neither side; 1 and 2 are the sides.
TIE_LABEL, BOTH_BAD_LABEL = 0, -1
_CODES: dict[ChoiceAnswer | None, int] = {None: 0, 1: 1, 2: 2, "tie": 3, BOTH_BAD: 3}


@dataclass(frozen=True)
class OrderProbe(Result):
    """A judge's choices between two answers that it saw in both orders.

    pairs: how many. left_out: pairs without people's choice, or with an answer "both bad" where
    these are left out; the figures are of the other pairs. judge, people: how many answers of all
    pairs are ties, both bad or invalid; the judge has two for each pair. invalid: the judge's
    invalid answers to pairs that are not left out. valid_pairs: pairs with two valid answers.

    correct_as_given, correct_swapped: shares of pairs where the judge gave people's answer, in each
    order; correct_average: their mean; correct_both: right in both. correct_together: where the
    answers that are right outnumber those for the other answer (JudgeBench, Tan et al. 2024), so a
    tie does not count against an answer that is right. equal: share of pairs with the same choice
    in both orders. A tie, or both bad, is right only where people's choice is one, and counts for
    neither side. An invalid answer is wrong, and its pair does not have the same choice. bias: in
    [-1, 1], the share of choices for the answer shown first less that for the second, of all
    answers; 0 is none. kappa: Cohen's kappa of the two orders, of the pairs with two valid answers.
    Intervals are clustered by question: of shares by `clustered_share`; of the bias by `sign_flips`
    of the means of 1, -1 and 0 of each pair, which are symmetric about 0 for a judge that prefers
    no side.
    """

    pairs: int
    left_out: int
    judge: AnswerCounts
    people: AnswerCounts
    invalid: int
    valid_pairs: int
    correct_as_given: Estimate
    correct_swapped: Estimate
    correct_average: Estimate
    correct_both: Estimate
    correct_together: Estimate
    equal: Estimate
    bias: Estimate
    kappa: Estimate

    @property
    def verdict(self) -> str:
        """What the interval of the bias says, in words."""
        return sign_verdict(
            self.bias, "prefers the answer shown first", "prefers the answer shown second",
            "no preference for a side is seen",
        )  # fmt: skip

    def tables(self) -> Iterable[ResultTable]:
        title = (
            f"{counted(self.pairs, 'pair')} in both orders, "
            f"{counted(self.invalid, 'invalid answer')}"
        )
        rows = [(label, getattr(self, name)) for name, label in FIGURES.items()]
        yield ResultTable(title, [text("", "0"), figure("value", "1")], rows)

    def sentences(self) -> Iterable[str]:
        if self.invalid:
            yield (
                f"Invalid answers: {self.invalid:,} of {2 * self.pairs:,}. An invalid answer is "
                "wrong, its pair does not have the same choice, and it counts for neither side. "
                f"Kappa is that of the {counted(self.valid_pairs, 'pair')} with two valid answers."
            )
        yield (
            f"The judge: {self.judge}. People: {self.people}. "
            f"{counted(self.left_out, 'pair')} left out, also those without people's choice."
        )
        p = "" if self.bias.p is None else f" (p = {self.bias.p:.2g}, signs flipped by question)"
        yield f"The judge: {self.verdict}{p}."

    def to_json(self) -> dict[str, Any]:
        """The figures with the verdict as JSON."""
        document = fields_to_json(self)
        answers = {name: document.pop(name) for name in ("judge", "people")}
        return {**document, "answers": answers, "verdict": self.verdict}


FIGURES = {
    "correct_as_given": "right, order as given",
    "correct_swapped": "right, swapped",
    "correct_average": "right, mean of both",
    "correct_both": "right in both orders",
    "correct_together": "right, both orders together",
    "equal": "same choice in both orders",
    "bias": "for the answer shown first, less for the second",
    "kappa": "kappa of the two orders",
}


# The scores of both answers by the choice: ties are half a point for each.
_PAIR_SCORES: dict[ChoiceAnswer, tuple[float, float]] = {
    1: (1.0, 0.0),
    2: (0.0, 1.0),
    "tie": (0.5, 0.5),
    BOTH_BAD: (0.5, 0.5),
}


def choices_of(
    as_given: int | None, swapped: int | None, better: ChoiceAnswer | None = 1, question: str = ""
) -> BothOrders:
    """The choices of a judge with these labels: the side, 1 or 2, TIE_LABEL or BOTH_BAD_LABEL; None
    for an invalid answer.

    better: people's choice. The pair's first answer is shown second in the swapped order.
    """
    labels: dict[int | None, ChoiceAnswer] = {
        1: 1,
        2: 2,
        TIE_LABEL: "tie",
        BOTH_BAD_LABEL: BOTH_BAD,
    }
    other: Mapping[int | None, ChoiceAnswer] = labels | {1: 2, 2: 1}
    return BothOrders(better, labels.get(as_given), other.get(swapped), question)


def people_answer(
    pair: PairRecord, *, without: Collection[str] = (), leave_out_both_bad: bool = False
) -> ChoiceAnswer | None:
    """The answer that most people prefer, a tie counting half for each; a tie where all say so, and
    None where they are divided, or none chose.

    without: raters who are judges. A pair without people's choices has the answer with the higher
    score, and the first of a minimal pair without scores.
    """
    used = counted_choices(pair, without=without, leave_out_both_bad=leave_out_both_bad)
    if not used and pair.score1 is not None and pair.score2 is not None:
        difference = pair.score1 - pair.score2
        return "tie" if not difference else 1 if difference > 0 else 2
    if not used:
        return None if pair.choices else 1
    share = share_of_first(one.choice for one in used)
    if share != 0.5:
        return 1 if share > 0.5 else 2
    if any(one.choice != "tie" for one in used):
        return None
    return BOTH_BAD if all(one.is_both_bad for one in used) else "tie"


def question_of(pair: PairRecord) -> str:
    """The passage of a pair, or its instance where the passage is empty."""
    return passage_key(pair.instance.passage) or f"instance {pair.instance.key}"


def counted_choices(
    pair: PairRecord, *, without: Collection[str] = (), leave_out_both_bad: bool = False
) -> list[ChoiceRecord]:
    """People's choices on a pair that count."""
    return [
        one
        for one in pair.choices
        if one.worker not in without and not (leave_out_both_bad and one.is_both_bad)
    ]


def orders_of_labels(
    pairs: Sequence[PairRecord],
    labels: Mapping[str, int | None],
    people: Sequence[ChoiceAnswer | None],
) -> list[BothOrders]:
    """The choices of a judge with these labels (`choices_of`) by the ids of its answers, beside
    people's answer to each pair; an answer that is missing is invalid."""
    return [
        choices_of(
            labels.get(f"{pair.key} {AS_GIVEN}"),
            labels.get(f"{pair.key} {SWAPPED}"),
            better,
            question_of(pair),
        )
        for pair, better in zip(pairs, people, strict=True)
    ]


def orders_of_rater(
    pairs: Sequence[PairRecord], judge: str, people: Sequence[ChoiceAnswer | None]
) -> list[BothOrders]:
    """The choices of a rater who was shown the pairs in both orders; pairs of which the rater has
    no choice are left out, and an order that is missing is an invalid answer.

    people: people's answer to each pair. Raises ValueError where no choice is the rater's, and for
    one that does not say which answer was shown first.
    """
    both = []
    for pair, better in zip(pairs, people, strict=True):
        by_order: dict[int | None, ChoiceAnswer] = {
            one.first_shown: BOTH_BAD if one.is_both_bad else one.choice
            for one in pair.choices
            if one.worker == judge
        }
        if None in by_order:
            raise ValueError(
                f"a choice of '{judge}' in the pair '{pair.key}' has no `first_shown`: it must say "
                "which answer was shown first"
            )
        if by_order:
            both.append(BothOrders(better, by_order.get(1), by_order.get(2), question_of(pair)))
    if not both:
        raise ValueError(f"no choice is by '{judge}'")
    return both


def pair_scores(choices: BothOrders) -> tuple[float, float] | None:
    """The scores of a pair's answers: 1 and 0, or 0.5 each for a tie, and where the orders
    disagree; None if an answer is invalid."""
    if choices.as_given is None or choices.swapped is None:
        return None
    is_equal = as_choice(choices.as_given) == as_choice(choices.swapped)
    return _PAIR_SCORES[choices.as_given if is_equal else "tie"]


def probe_orders(pairs: Sequence[BothOrders], *, leave_out_both_bad: bool = False) -> OrderProbe:
    """Figures of a judge's choices.

    leave_out_both_bad: pairs in which people or the judge said that both answers are bad are left
    out; otherwise these answers are ties. Raises ValueError without pairs.
    """
    if not pairs:
        raise ValueError("no pair was judged")
    judge = AnswerCounts.of(one for pair in pairs for one in (pair.as_given, pair.swapped))
    people = AnswerCounts.of(pair.better for pair in pairs)
    given = [
        pair
        for pair in pairs
        if pair.better is not None
        and not (leave_out_both_bad and BOTH_BAD in (pair.better, pair.as_given, pair.swapped))
    ]
    if not given:
        raise ValueError("no pair is left: people chose in none, or answers are both bad")
    better, first, second = (
        np.array([_CODES[getattr(pair, name)] for pair in given])
        for name in ("better", "as_given", "swapped")
    )
    right_as_given, right_swapped = first == better, second == better
    valid = (first > 0) & (second > 0)
    # Of 1 and 2 the other answer is 2 and 1; a tie, 3, has none, and 0 is no answer.
    other = np.where(better == 3, -1, 3 - better)
    points = sum((one == better).astype(int) - (one == other) for one in (first, second))
    # Answer 1 is shown first as given, answer 2 when swapped; other answers count for neither side.
    side = [0.0, 1.0, -1.0, 0.0]
    first_less_second = (np.take(side, first) - np.take(side, second)) / 2
    questions = [pair.question or f"pair {k}" for k, pair in enumerate(given)]
    codes = np.unique(questions, return_inverse=True)[1].astype(np.int64)

    def share(hits: NDArray[np.generic]) -> Estimate:
        return clustered_share(hits.astype(np.float64), codes, unit="questions")

    return OrderProbe(
        pairs=len(given),
        left_out=len(pairs) - len(given),
        judge=judge,
        people=people,
        invalid=int(np.sum(first == 0) + np.sum(second == 0)),
        valid_pairs=int(valid.sum()),
        correct_as_given=share(right_as_given),
        correct_swapped=share(right_swapped),
        correct_average=share((right_as_given.astype(np.float64) + right_swapped) / 2),
        correct_both=share(right_as_given & right_swapped),
        correct_together=share(points > 0),
        equal=share(valid & (first == second)),
        bias=_bias(first_less_second, codes),
        kappa=_kappa(first[valid], second[valid]),
    )


def _bias(values: Floats, questions: Integers) -> Estimate:
    """The mean, whose interval allows for a preference that shows in few pairs, or in none."""
    bias = sign_flips(values, questions, unit="questions")
    if bias.value is None or bias.low is None or bias.high is None:
        return bias
    margin = RareChanges.of(values, questions, 1.0).margin(0.025)
    # Away from 0 only: on which side of 0 the bias lies, the flips say.
    low = bias.value - margin if bias.value <= 0 else bias.low
    high = bias.value + margin if bias.value >= 0 else bias.high
    return replace(bias, low=max(-1.0, min(bias.low, low)), high=min(1.0, max(bias.high, high)))


def _kappa(first: Integers, second: Integers) -> Estimate:
    n = len(first)
    if not n:
        return Estimate(None, reason="no pair has two valid answers")
    ratings = Ratings(
        np.tile(np.arange(n), 2),
        np.repeat([0, 1], n),
        np.concatenate([first, second]).astype(np.float64),
    )
    kappa = RaterPairs.of(ratings, min_shared=1).kappas("nominal")[0]
    if np.isnan(kappa):
        return Estimate(None, reason="the judge always gave the same answer")
    return Estimate(float(kappa))
