"""The verdict of rules: from the interval of a figure and its bound."""

from __future__ import annotations

import math
from collections.abc import Iterable

from concord.documents.check import PolicyCheck, RuleRow, Verdict
from concord.formats.errors import json_path_part
from concord.gate.kinds import KINDS
from concord.gate.policy import Policy
from concord.gate.rules import Measured
from concord.inference import factor_to_exclude
from concord.sentences import counted, decimal, rounded_up

# The worst first.
_ORDER: tuple[Verdict, ...] = ("falls short", "not enough evidence", "holds")
_KIND_NAMES = {kind: name for name, kind in KINDS.items()}


def check_policy(policy: Policy) -> PolicyCheck:
    """Check all rules, in their order. Raises ValueError as `check_rule`."""
    rows = [check_rule(policy, name) for name in policy.rules]
    return {
        "policy": policy.path.name,
        "verdict": worst(row["verdict"] for row in rows),
        "rules": rows,
    }


def check_rule(policy: Policy, name: str) -> RuleRow:
    """Check one rule. Raises ValueError, which names the policy and the rule, for files, systems,
    metrics and judges that cannot be read or do not exist, and for a metric that fails."""
    rule = policy.rules[name]
    try:
        measured = rule.measure(policy.path.parent)
    except (ValueError, RuntimeError) as error:
        place = f"{policy.path}: rules.{json_path_part(name)}"
        lines = (f"{place}: {line}" for line in str(error).split("\n"))
        raise ValueError("\n".join(lines)) from error
    verdict = verdict_of(measured)
    factor = _factor(measured) if verdict == "not enough evidence" else None
    row: RuleRow = {
        "name": name,
        "kind": _KIND_NAMES[type(rule)],
        "figure": measured.figure,
        "at_least": measured.at_least,
        "value": measured.value,
        "ci": None if measured.ci is None else list(measured.ci),
        "verdict": verdict,
        "reason": measured.reason,
        "over": measured.over,
        "passages": measured.passages,
        "ratings": measured.ratings,
        "needed_passages": _times(measured.passages, factor),
        "needed_ratings": _times(measured.ratings, factor),
        "sentence": "",
    }
    return {**row, "sentence": _sentence(row)}


def verdict_of(measured: Measured) -> Verdict:
    """Holds where the whole interval is at or above the bound, falls short where it is below."""
    if measured.ci is None:
        return "not enough evidence"
    low, high = measured.ci
    if low >= measured.at_least:
        return "holds"
    return "falls short" if high < measured.at_least else "not enough evidence"


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict of several rules: all must hold, and one that falls short decides."""
    return min(verdicts, key=_ORDER.index)


def _factor(measured: Measured) -> float | None:
    """How many times as many passages would settle it; None where no number is known."""
    factor = measured.factor
    if factor is None and measured.ci is not None and measured.value is not None:
        is_above = measured.value >= measured.at_least
        end = measured.ci[0] if is_above else measured.ci[1]
        factor = factor_to_exclude(measured.value, end, measured.at_least)
    return factor if factor is not None and math.isfinite(factor) else None


def _times(number: int | None, factor: float | None) -> int | None:
    return None if number is None or factor is None else rounded_up(math.ceil(number * factor))


def _sentence(row: RuleRow) -> str:
    """What was measured, the bound, the verdict, and what would settle it."""
    text = f"{row['figure']} is {decimal(row['value'])}"
    if row["ci"] is not None:
        over = f" over {row['over']}" if "raters" in row["over"] else ""
        text += f" ({decimal(row['ci'][0])} to {decimal(row['ci'][1])}{over})"
    text += f"; at least {row['at_least']:g} is asked: {row['verdict']}"
    if row["verdict"] == "not enough evidence":
        if row["ci"] is None and row["reason"]:
            text += f" ({row['reason']})"
        if row["needed_passages"] is not None:
            text += f"; about {counted(row['needed_passages'], 'passage')}"
            if row["needed_ratings"] is not None:
                text += f" with {counted(row['needed_ratings'], 'rating')}"
            text += f" in all would settle it, now {row['passages']:,}"
    return text
