"""The `concord` command: statistics of files of judgments, scores and labels.

Exit codes: 0 done; 1 a metric failed; 2 the command, a file or a metric's name is wrong; 130
interrupted; 141 the reader of the output stopped; `concord check` has its own
(`check.EXIT_CODES`). The result is on standard output; notes, progress and errors are on standard
error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stderr

from concord.cli import (
    agreement,
    alt_test,
    check,
    convert,
    demo,
    draw,
    drift,
    estimate,
    inspect,
    judge,
    judge_compare,
    judge_pairs,
    jury,
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
from concord.cli.parser import CommandParser, completion, new_parser
from concord.formats import FormatError
from concord.frames import FrameError
from concord.metrics.discovery import NoScoringEngineError
from concord.pipes import run_to_pipe
from concord.reliability import RatingsError

COMMANDS = (
    demo,
    leaderboard,
    agreement,
    score,
    judge,
    judge_pairs,
    judge_compare,
    alt_test,
    jury,
    drift,
    draw,
    estimate,
    replay,
    plan,
    ranking,
    orders,
    select,
    spans,
    inspect,
    convert,
    check,
    report,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_to_pipe(lambda: _run(arguments))


def command_parser() -> CommandParser:
    """The parser of all commands."""
    return new_parser(command.add for command in COMMANDS)


def _run(arguments: Sequence[str] | None) -> int:
    parser = command_parser()
    parsed = parser.parse_args(arguments)
    if parsed.completion:
        print(completion(parser, parsed.completion))
        return 0
    if parsed.command is None:
        parser.print_help()
        return 0
    help_line = f"Help: concord {parsed.command} --help; files to try: concord demo"
    try:
        with ExitStack() as stack:
            if parsed.quiet:
                nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
                stack.enter_context(redirect_stderr(nowhere))
            code: int | None = parsed.run(parsed)
    except (FileExistsError, FileNotFoundError, NotADirectoryError, PermissionError) as error:
        print(f"{error.filename}: {error.strerror}", help_line, sep="\n", file=sys.stderr)
        return 2
    except (FormatError, FrameError, RatingsError, ValueError) as error:
        print(error, help_line, sep="\n", file=sys.stderr)
        return 2
    except (NoScoringEngineError, RuntimeError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return code or 0
