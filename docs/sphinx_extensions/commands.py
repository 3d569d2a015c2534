"""`{command} NAME ...`: the help text of a command, as the command itself prints it."""

from __future__ import annotations

import argparse
import io
import os
from contextlib import redirect_stdout, suppress
from unittest.mock import patch

from django.core.management import get_commands, load_command_class
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import concord.cli
import scorers.cli

WIDTH = "96"
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
    program, _, rest = command.partition(" ")
    with patch.dict(os.environ, COLUMNS=WIDTH):
        if program == "manage.py":
            app = get_commands()[rest]
            made = load_command_class(app, rest) if isinstance(app, str) else app
            parser = made.create_parser("manage.py", rest)
            for action in parser._actions:
                if action.dest in EVERY_COMMANDS_OPTIONS:
                    action.help = argparse.SUPPRESS
            return parser.format_help()
        mains = {"concord": concord.cli.main, "scorers": scorers.cli.main}
        if program not in mains:
            raise ValueError(f"no command of Concord: {command}")
        output = io.StringIO()
        with redirect_stdout(output), suppress(SystemExit):
            mains[program]([*rest.split(), "--help"])
        return output.getvalue()


class CommandDirective(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        text = help_text(self.arguments[0])
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command", CommandDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
