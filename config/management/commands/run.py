"""`run`: the main job on one machine. Demo set in, metrics scored, leaderboard out, site up."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

import benchmarks
from benchmarks.sets.models import JudgmentSet
from config.supervision import Child, stop_on_signals
from config.web import exposure
from core import workers
from core.processes import die_with_parent

DEMO = Path(benchmarks.__file__).parent / "demo"
PORTS_TRIED = 100
ADMINISTRATOR = "admin"


class Command(BaseCommand):
    help = "Set up, score the demo set, print its leaderboard and serve the site."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument(
            "--allow-direct-exposure",
            action="store_true",
            default=exposure.is_allowed(),
            help="Listen also on addresses that other machines can reach, without a reverse "
            "proxy: a few dozen slow clients can then block the site.",
        )
        serve = os.environ.get("SERVE", "1").lower() not in ("0", "false", "no")
        parser.add_argument("--no-serve", dest="serve", action="store_false", default=serve)

    def handle(self, *args: Any, **options: Any) -> None:
        stop_on_signals()
        exposed = bool(options["allow_direct_exposure"])
        if options["serve"] and not exposed:
            check_host(options["host"])
        call_command("migrate", verbosity=0, interactive=False)
        if not JudgmentSet.objects.filter(name="demo").exists():
            self._import_demo()
        worker = Child("worker", workers.start_worker, workers.stop_worker, say=self._say)
        site: Child | None = None
        try:
            worker.ensure()
            failure = self._score_demo()
            call_command("leaderboard", "demo")
            if not options["serve"]:
                if failure:
                    raise failure
                return
            password = administrator_password()
            listening = listen(options["host"], options["port"])
            site = Child(
                "site", lambda: start_site(listening, exposed), workers.stop_worker, say=self._say
            )
            site.ensure()
            self._announce(listening, password)
            while True:
                time.sleep(0.5)
                worker.ensure()
                site.ensure()
        finally:
            # A second Ctrl-C or kill must not cut the stopping short.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            for child in (site, worker):
                if child is not None:
                    child.end()

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)

    def _score_demo(self) -> CommandError | None:
        """Score the demo set. A metric that fails is shown and stops nothing."""
        try:
            call_command("score", "demo", metrics="all", wait=True)
        except CommandError as error:
            self.stderr.write(str(error))
            return error
        return None

    def _import_demo(self) -> None:
        call_command(
            "import_judgments",
            str(DEMO / "judgments.jsonl"),
            format="concord",
            name="demo",
            title="Demo: questions on short texts",
            description="Instances, answers and ratings written for this project to show how "
            "Concord works. Nobody's judgments, and no system's answers.",
            illustrative=True,
            publish=True,
            pairs=DEMO / "pairs.jsonl",
        )

    def _announce(self, listening: socket.socket, password: str | None) -> None:
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        self.stdout.write(self.style.SUCCESS(f"\nConcord is at http://{shown}:{port}"))
        how = f"with the password {password}" if password else "with the password you chose"
        self.stdout.write(f"Sign in as {ADMINISTRATOR} {how}. Ctrl-C stops everything.\n")
        self.stdout.flush()


def check_host(host: str) -> None:
    """Raise CommandError unless the host is on the loopback interface."""
    try:
        exposure.check_host(host)
    except exposure.ExposureError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"--host {host}: {error.strerror}.") from None


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on `port` or the next free one; bound here, so nobody can take it."""
    for candidate in range(port, port + PORTS_TRIED):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            listening.listen(1024)
            return listening
        except OSError:
            listening.close()
    raise CommandError(f"No port from {port} to {port + PORTS_TRIED - 1} is free on {host}.")


def start_site(listening: socket.socket, exposed: bool = False) -> subprocess.Popen[bytes]:
    """Gunicorn on the socket; the log goes to var/log/site.log. `exposed`: the socket's address may
    be one that other machines can reach."""
    os.set_inheritable(listening.fileno(), True)
    command = [sys.executable, "-m", "gunicorn", "-c", "python:config.web.server"]
    command += ["--bind", f"fd://{listening.fileno()}"]
    with open(settings.VAR_DIR / "log" / "site.log", "ab") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=settings.BASE_DIR,
            env=os.environ | {exposure.SETTING: str(exposed)},
            pass_fds=[listening.fileno()],
            start_new_session=True,
            preexec_fn=die_with_parent(),
        )


def administrator_password() -> str | None:
    """The first administrator's password, made with the account; None once it was changed.

    It is kept in a file that only this installation's owner can read.
    """
    kept = settings.VAR_DIR / "admin_password"
    users = get_user_model().objects
    administrator = users.filter(is_superuser=True, username=ADMINISTRATOR).first()
    if administrator is None:
        password = secrets.token_urlsafe(12)
        kept.touch(mode=0o600)
        kept.write_text(password)
        users.create_superuser(ADMINISTRATOR, password=password)
        return password
    password = kept.read_text() if kept.exists() else ""
    return password if password and administrator.check_password(password) else None
