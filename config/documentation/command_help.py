"""`{command} NAME ...`: the help text of a command, as the command itself prints it."""

from __future__ import annotations

import argparse
from functools import partial
from importlib import import_module
from types import MappingProxyType

from django.core.management import get_commands, load_command_class

from config.documentation.markdown import DirectiveCall, code_block

WIDTH = 96
#: Django's options of every command, which say nothing about one.
EVERY_COMMANDS_OPTIONS = {
    "version",
    "verbosity",
    "settings",
    "pythonpath",
    "traceback",
    "no_color",
    "force_color",
    "skip_checks",
}


def help_text(command: str) -> str:
    """What `command --help` prints. Raises ValueError for a command that is none of Concord's."""
    program, _, name = command.partition(" ")
    if program == "manage.py":
        parser = _of_django(name)
    elif program in ("concord", "scorers"):
        cli = import_module(f"{program}.cli")  # here, because it loads pandas
        parser = _of_library(cli.command_parser(), name)
    else:
        raise ValueError(f"no command of Concord: {command}")
    parser.formatter_class = partial(parser.formatter_class, width=WIDTH)  # type: ignore[call-arg]
    return parser.format_help()


def _of_django(name: str) -> argparse.ArgumentParser:
    app = get_commands()[name]
    command = load_command_class(app, name) if isinstance(app, str) else app
    parser = command.create_parser("manage.py", name)
    for action in parser._actions:
        if action.dest in EVERY_COMMANDS_OPTIONS:
            action.help = argparse.SUPPRESS
    return parser


def _of_library(parser: argparse.ArgumentParser, name: str) -> argparse.ArgumentParser:
    """The parser of a command, such as `leaderboard` or `encoders add`; without a name, of all."""
    for word in name.split():
        groups = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        parser = next(groups).choices[word]
    return parser


def command(call: DirectiveCall) -> str:
    return code_block(help_text(call.argument))


DIRECTIVES = MappingProxyType({"command": command})
