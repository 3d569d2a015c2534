"""`mturk_sandbox`: a local stand-in for Mechanical Turk, for boto3 and for people."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict, Unpack

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from mturk_sandbox import Faults, Sandbox, SandboxOptions
from mturk_sandbox.money import cents


class SandboxArguments(TypedDict):
    """The options of the command."""

    host: str
    port: int
    data: Path | None
    memory: bool
    balance: str
    clock: str
    throttle_every: int
    die_at: int
    duplicate_every: int
    https_only: bool


class Command(BaseCommand):
    help = (
        "Serve a local stand-in for Amazon Mechanical Turk: its API, and pages on which people can "
        "work. Nothing is paid and nobody outside is reached. Ctrl-C stops it."
    )
    # It does not use Concord's database and starts without it.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8008, help="0 for a free port")
        parser.add_argument("--data", type=Path, default=None, help="data folder")
        parser.add_argument("--memory", action="store_true", help="store nothing on disk")
        parser.add_argument(
            "--balance", default="10000.00", help="balance of a new account in dollars"
        )
        parser.add_argument("--clock", default="", help="stop the clock at this ISO time")
        parser.add_argument("--throttle-every", type=int, default=0, help="refuse every n-th call")
        parser.add_argument(
            "--die-at", type=int, default=0, help="lose the answer of the k-th call"
        )
        parser.add_argument(
            "--duplicate-every", type=int, default=0, help="deliver every n-th notification twice"
        )
        parser.add_argument(
            "--https-only", action="store_true", help="reject http ExternalURLs on this machine"
        )

    def handle(self, *args: object, **options: Unpack[SandboxArguments]) -> None:
        try:
            sandbox = Sandbox(sandbox_options(options), host=options["host"], port=options["port"])
        except (OSError, OverflowError) as error:
            raise CommandError(f"Cannot serve on port {options['port']}: {error}") from error
        self.stdout.write(
            f"MTurk sandbox at {sandbox.url}\n"
            f"  workers: {sandbox.worker_url}    ledger: {sandbox.url}/ledger/\n"
            f'  boto3.client("mturk", region_name="us-east-1", endpoint_url="{sandbox.url}",\n'
            '      aws_access_key_id="any", aws_secret_access_key="any")\n'
            "Ctrl-C stops it."
        )
        self.stdout.flush()
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            sandbox.serve_forever()
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
        finally:
            sandbox.stop()


def sandbox_options(arguments: SandboxArguments) -> SandboxOptions:
    """The options as given on the command line. Raises CommandError."""
    faults = Faults()
    try:
        faults.change(
            {
                "throttle_every": arguments["throttle_every"],
                "die_at": arguments["die_at"],
                "duplicate_every": arguments["duplicate_every"],
            }
        )
        balance = cents(arguments["balance"])
        start = _start(arguments["clock"])
    except ValueError as error:
        raise CommandError(str(error)) from error
    folder = arguments["data"] or settings.VAR_DIR / "mturk_sandbox"
    return SandboxOptions(
        data=None if arguments["memory"] else folder,
        balance_cents=balance,
        start=start,
        local_http=not arguments["https_only"],
        faults=faults,
    )


def _start(text: str) -> float | None:
    if not text:
        return None
    start = datetime.fromisoformat(text)
    return (start if start.tzinfo else start.replace(tzinfo=UTC)).timestamp()
