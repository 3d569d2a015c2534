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
from importlib import import_module

from concord.cli.parser import CommandParser, completion, new_parser
from concord.pipes import run_to_pipe

COMMANDS = (
    "demo",
    "leaderboard",
    "agreement",
    "score",
    "judge",
    "judge-pairs",
    "judge-compare",
    "alt-test",
    "jury",
    "drift",
    "draw",
    "estimate",
    "replay",
    "plan",
    "ranking",
    "orders",
    "spans",
    "inspect",
    "convert",
    "check",
    "report",
)
"""The commands. The module and the function of each have the same name, with underscores."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_to_pipe(lambda: _run(arguments))


def command_parser(arguments: Sequence[str] = ()) -> CommandParser:
    """The parser of all commands, or of as many as are needed to parse `arguments`.

    The modules of the other commands are not imported, which takes longer than most commands run.
    """
    first = next((word for word in arguments if word != "--quiet"), "")
    if first == "--version":
        names: tuple[str, ...] = ()
    else:
        names = (first,) if first in COMMANDS else COMMANDS
    modules = (name.replace("-", "_") for name in names)
    commands = (getattr(import_module(f"concord.cli.{name}"), name) for name in modules)
    return new_parser(command.add for command in commands)


def _run(arguments: Sequence[str] | None) -> int:
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = command_parser(arguments)
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
    except ValueError as error:
        print(error, help_line, sep="\n", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return code or 0
