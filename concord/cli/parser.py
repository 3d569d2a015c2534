"""The parser of the `concord` command: help with examples, options of every command, completion."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

SHELLS = ("bash", "zsh")
"""The shells for which `--completion` writes a script."""

EXAMPLES = """\
examples:
  concord demo                                                    files to try, five commands
  concord leaderboard judgments.jsonl --metrics token-f1,rouge-l  which metric agrees with people?
  concord agreement judgments.jsonl --raters expert               how far do raters agree?

`concord COMMAND --help` has the options of one command.
Completion: eval "$(concord --completion bash)", in zsh: eval "$(concord --completion zsh)"
"""


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors name the command that helps."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: error: {message}\nHelp: {self.prog} --help\n")


def new_parser(commands: Iterable[Callable[[Any], None]]) -> CommandParser:
    """The parser of `commands`, each of which adds its own parser to what it is given."""
    parser = CommandParser(
        prog="concord",
        description="Human judgments of generated answers, and automatic metrics against them.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"concord {version('concord-judgments')}"
    )
    parser.add_argument(
        "--completion", choices=SHELLS, help="print the completion script of a shell"
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", dest="command", title="commands")
    for add in commands:
        add(subparsers)
    for one in (parser, *subparsers.choices.values()):
        # A default of a command's own would hide what stands before the command.
        default = False if one is parser else argparse.SUPPRESS
        one.add_argument("--quiet", action="store_true", default=default,
                         help="print the result and errors only")  # fmt: skip
    return parser


def completion(parser: CommandParser, shell: str) -> str:
    """The completion script of one of SHELLS: commands, options, choices and names of files."""
    import shtab

    for one in _with_subparsers(parser):
        for action in one._actions:
            if action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _with_subparsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    groups = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return [parser, *(child for group in groups for child in group.choices.values())]
