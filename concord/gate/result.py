"""What a rule measures, and its verdict: from the interval of a figure and its bound."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from concord.inference import Estimate, factor_to_exclude
from concord.sentences import counted, decimal, rounded_up
from concord.tables import ResultTable, figure, number, text
from concord.tables.result import Result

Verdict = Literal["holds", "falls short", "not enough evidence"]
WORST_FIRST: tuple[Verdict, ...] = ("falls short", "not enough evidence", "holds")


@dataclass(frozen=True, kw_only=True)
class RuleResult:
    """A rule's figure, and what follows from it.

    figure: what was measured, in words. estimate: as the command of the figure computes it, with a
    reason where there is no interval; its clusters are passages (items, where labels do not name
    passages). at_least: the bound. ratings: the single ratings of these, None where the file has
    none. factor: how many times as many passages would settle it; None for what the interval's
    width tells. name, kind: of the rule, in its policy.
    """

    figure: str
    at_least: float
    estimate: Estimate
    ratings: int | None = None
    factor: float | None = None
    name: str = ""
    kind: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the whole interval is at or above the bound, or below it."""
        if self.estimate.ci is None:
            return "not enough evidence"
        low, high = self.estimate.ci
        if low >= self.at_least:
            return "holds"
        return "falls short" if high < self.at_least else "not enough evidence"

    @property
    def passages(self) -> int:
        """How many the interval is of."""
        return self.estimate.clusters or 0

    @property
    def needed_passages(self) -> int | None:
        """About how many in all would settle it; None where it is settled, or none are known."""
        return self._needed(self.passages)

    @property
    def needed_ratings(self) -> int | None:
        """The single ratings of these."""
        return self._needed(self.ratings)

    def _needed(self, number: int | None) -> int | None:
        factor, value, ends = self.factor, self.estimate.value, self.estimate.ci
        if number is None or self.verdict != "not enough evidence":
            return None
        if factor is None and ends is not None and value is not None:
            end = ends[0] if value >= self.at_least else ends[1]
            factor = factor_to_exclude(value, end, self.at_least)
        if factor is None or not math.isfinite(factor):
            return None
        return rounded_up(math.ceil(number * factor))

    @property
    def sentence(self) -> str:
        """What was measured, the bound, the verdict, and what would settle it."""
        estimate = self.estimate
        text = f"{self.figure} is {decimal(estimate.value)}"
        if estimate.ci is not None:
            over = f" over {estimate.over}" if "raters" in estimate.over else ""
            text += f" ({decimal(estimate.ci[0])} to {decimal(estimate.ci[1])}{over})"
        text += f"; at least {self.at_least:g} is asked: {self.verdict}"
        if self.verdict == "not enough evidence" and estimate.ci is None and estimate.reason:
            text += f" ({estimate.reason})"
        if self.needed_passages is None:
            return text
        text += f"; about {counted(self.needed_passages, 'passage')}"
        if self.needed_ratings is not None:
            text += f" with {counted(self.needed_ratings, 'rating')}"
        return f"{text} in all would settle it, now {self.passages:,}"

    @property
    def settles(self) -> str:
        """What would settle it, in words; empty where it is settled."""
        if self.verdict != "not enough evidence":
            return ""
        if self.needed_passages is None:
            return self.estimate.reason or "unknown: the figure is at the bound"
        text = f"about {counted(self.needed_passages, 'passage')}, now {self.passages:,}"
        if self.needed_ratings is not None:
            text += f" ({counted(self.needed_ratings, 'rating')}, now {self.ratings:,})"
        return text

    def to_json(self) -> dict[str, Any]:
        estimate = self.estimate
        return {
            "name": self.name,
            "kind": self.kind,
            "figure": self.figure,
            "at_least": self.at_least,
            "value": estimate.value,
            "ci": None if estimate.ci is None else list(estimate.ci),
            "verdict": self.verdict,
            "reason": estimate.reason,
            "over": estimate.over,
            "passages": self.passages,
            "ratings": self.ratings,
            "needed_passages": self.needed_passages,
            "needed_ratings": self.needed_ratings,
            "sentence": self.sentence,
        }


APPROXIMATION = (
    "Intervals are of 95%. The number of passages that would settle a rule is an approximation: it "
    "takes the figure as the truth, an interval's width as shrinking with the square root of the "
    "number, and a probability of 80% that it is then settled."
)


@dataclass(frozen=True)
class PolicyResult(Result):
    """The results of the rules of a policy, which is the name of its file, in their order."""

    policy: str
    rules: list[RuleResult]

    @property
    def verdict(self) -> Verdict:
        """The worst of the rules': all must hold, and one that falls short decides."""
        return min((rule.verdict for rule in self.rules), key=WORST_FIRST.index)

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text("rule", "name"),
            text("figure"),
            figure("value", "estimate"),
            number("at least", lambda row: f"{row.at_least:g}"),
            text("verdict"),
            text("would settle it", "settles"),
        ]
        yield ResultTable(f"{self.policy}: {self.verdict}", columns, self.rules)

    def sentences(self) -> Iterable[str]:
        yield APPROXIMATION

    def to_json(self) -> dict[str, Any]:
        rules = [rule.to_json() for rule in self.rules]
        return {"policy": self.policy, "verdict": self.verdict, "rules": rules}
