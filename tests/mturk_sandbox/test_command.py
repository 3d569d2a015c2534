"""The command line of `manage.py mturk_sandbox`; its serving is in test_faults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from annotation.management.commands.mturk_sandbox import Command, sandbox_options
from tests.mturk_sandbox.people import START


def parsed(*arguments: str) -> dict[str, Any]:
    return vars(Command().create_parser("manage.py", "mturk_sandbox").parse_args(arguments))


def test_the_command_has_these_defaults() -> None:
    options = sandbox_options(parsed())
    assert options.data == settings.VAR_DIR / "mturk_sandbox"
    assert (options.balance_cents, options.start, options.local_http) == (1_000_000, None, True)


def test_the_command_passes_its_options() -> None:
    options = sandbox_options(
        parsed(
            *("--balance", "12.50", "--clock", "2023-11-14T22:13:20", "--https-only"),
            *("--throttle-every", "3", "--die-at", "7", "--duplicate-every", "2"),
            *("--data", "there"),
        )
    )
    assert (options.data, options.balance_cents, options.start) == (Path("there"), 1250, START)
    assert not options.local_http
    faults = options.faults
    assert (faults.throttle_every, faults.die_at, faults.duplicate_every) == (3, 7, 2)
    assert sandbox_options(parsed("--memory")).data is None


@pytest.mark.parametrize(
    "arguments",
    [("--balance", "-1"), ("--clock", "noon"), ("--die-at", "-1"), ("--port", "99999", "--memory")],
)
def test_invalid_options_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        call_command("mturk_sandbox", *arguments)
