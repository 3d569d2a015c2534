"""`concord check POLICY.toml`: do agreement, judges, metrics and systems reach their bounds?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from rich.markup import escape

from concord.cli.tables import console_for, new_table, print_json
from concord.gate.policy import read_policy
from concord.gate.reports import APPROXIMATION, cells, junit_xml, markdown
from concord.gate.result import PolicyResult, Verdict

EXIT_CODES: dict[Verdict, int] = {"holds": 0, "falls short": 1, "not enough evidence": 3}


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="check a policy: exit code 0 holds, 1 falls short, 3 not enough evidence",
        description="Check the rules of a policy. Exit codes: 0 all hold; 1 one falls short; 2 the "
        "policy or a file is wrong; 3 none falls short, and one has not enough evidence.",
    )
    option = parser.add_argument
    option("policy", metavar="POLICY.toml", type=Path)
    option("--format", choices=("table", "json", "junit", "markdown"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> int:
    policy = read_policy(parsed.policy)
    check = policy.check()
    if parsed.format == "json":
        print_json(check.to_json())
    elif parsed.format == "junit":
        print(junit_xml(check, policy.not_enough_evidence))
    elif parsed.format == "markdown":
        print(markdown(check))
    else:
        _print(check, sys.stdout)
    return EXIT_CODES[check.verdict]


def _print(check: PolicyResult, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(f"{check.policy}: {check.verdict}")
    for name in ("rule", "figure"):
        table.add_column(name)
    for name in ("value", "95% interval", "at least"):
        table.add_column(name, justify="right")
    for name in ("verdict", "would settle it"):
        table.add_column(name)
    for row in check.rules:
        table.add_row(*map(escape, cells(row)))
    console.print(table)
    console.print(APPROXIMATION, soft_wrap=True)
