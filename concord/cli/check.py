"""`concord check POLICY.toml`: do agreement, judges, metrics and systems reach their bounds?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from concord.cli.command import CommandResult, argument, command
from concord.gate.policy import read_policy
from concord.gate.reports import junit_xml, markdown
from concord.gate.result import Verdict

EXIT_CODES: dict[Verdict, int] = {"holds": 0, "falls short": 1, "not enough evidence": 3}


@dataclass(frozen=True, kw_only=True)
class CheckInputs:
    """A policy."""

    policy: Path = argument("POLICY.toml")


@command(
    "check a policy: exit code 0 holds, 1 falls short, 3 not enough evidence",
    formats=("table", "json", "junit", "markdown"),
    description="Check the rules of a policy. Exit codes: 0 all hold; 1 one falls short; 2 the "
    "policy or a file is wrong; 3 none falls short, and one has not enough evidence.",
)
def check(inputs: CheckInputs) -> CommandResult:
    """The verdicts of a policy's rules."""
    policy = read_policy(inputs.policy)
    result = policy.check()
    texts = {"junit": junit_xml(result, policy.not_enough_evidence), "markdown": markdown(result)}
    return CommandResult(results={"": result}, texts=texts, exit_code=EXIT_CODES[result.verdict])
