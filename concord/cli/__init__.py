"""The `concord` command: statistics of files of judgments, scores and labels.

Exit codes: 0 done; 1 a metric failed; 2 the command, a file or a metric's name is wrong; 130
interrupted; 141 the reader of the output stopped. `concord check` has its own (`check.EXIT_CODES`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from concord.cli import (
    agreement,
    alt_test,
    check,
    draw,
    estimate,
    judge,
    judge_compare,
    judge_pairs,
    leaderboard,
    orders,
    plan,
    ranking,
    replay,
    report,
    score,
    select,
    spans,
)
from concord.formats import FormatError
from concord.frames import FrameError
from concord.metrics.discovery import NoScoringEngineError
from concord.pipes import run_to_pipe
from concord.reliability import RatingsError

COMMANDS = (
    leaderboard,
    agreement,
    score,
    judge,
    judge_pairs,
    judge_compare,
    alt_test,
    draw,
    estimate,
    replay,
    plan,
    ranking,
    orders,
    select,
    spans,
    check,
    report,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_to_pipe(lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(
        prog="concord",
        description="Human judgments of generated answers, and automatic metrics against them.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    parsed = parser.parse_args(arguments)
    try:
        code: int | None = parsed.run(parsed)
    except (FormatError, FrameError, RatingsError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    except (NoScoringEngineError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return code or 0
