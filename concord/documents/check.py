"""A policy that was checked: the verdict of each rule.

Without `from __future__ import annotations`, as in `concord.documents`.
"""

from typing import Literal, TypedDict

Verdict = Literal["holds", "falls short", "not enough evidence"]


class RuleRow(TypedDict):
    """One rule. figure: what was measured, in words. value, ci: as the command of the figure
    computes them. at_least: the bound. reason: why there is no value or no interval, else "".
    passages: how many the interval is of (items, where labels do not name passages). ratings: the
    single ratings of these, None where the file has none. over: what the interval generalises to,
    where that is more than passages, such as "passages and raters". needed_passages,
    needed_ratings: about how many in all would settle it, None where it is settled or where no
    number is known."""

    name: str
    kind: str
    figure: str
    at_least: float
    value: float | None
    ci: list[float] | None
    verdict: Verdict
    reason: str
    over: str
    passages: int
    ratings: int | None
    needed_passages: int | None
    needed_ratings: int | None
    sentence: str


class PolicyCheck(TypedDict):
    """The output of `concord check --format json`. verdict: the worst of the rules'."""

    policy: str
    verdict: Verdict
    rules: list[RuleRow]
