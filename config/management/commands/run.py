"""`run`: import and score the demo set, print its leaderboard, and serve the site."""

from __future__ import annotations

import errno
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from gunicorn.app import wsgiapp

from config.demo import show_demo, show_more
from config.web import exposure
from core.workers.pools import LANES
from core.workers.supervision import Child, end_all, preload, run_in_child, stop_on_signals
from core.workers.supervisor import java_helpers, supervise

ADMINISTRATOR = "admin"


@dataclass(frozen=True)
class SiteAddress:
    """Where the site listens; is_exposed: without a reverse proxy, for other machines too."""

    host: str
    port: int
    is_exposed: bool


class Command(BaseCommand):
    help = "Set up, score the demo set, print its leaderboard, serve the site, simulate a study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default=os.environ.get("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument(
            "--allow-direct-exposure",
            action="store_true",
            default=exposure.is_allowed(),
            help="Allow addresses that other machines can reach, without a reverse proxy. A few "
            "dozen slow clients can then block the site.",
        )
        serve = os.environ.get("SERVE", "1").lower() not in ("0", "false", "no")
        parser.add_argument("--no-serve", dest="serve", action="store_false", default=serve)

    def handle(
        self, *, host: str, port: int, serve: bool, allow_direct_exposure: bool, **_: object
    ) -> None:
        stop_on_signals()
        site = SiteAddress(host, port, allow_direct_exposure) if serve else None
        if site and not site.is_exposed:
            check_host(site.host)
        call_command("migrate", verbosity=0, interactive=False)
        import_module(settings.ROOT_URLCONF)
        preload()
        # This process only supervises others. Connections that it opened would be shared with them.
        children: list[Child] = []
        later: list[Child] = []
        with java_helpers() as java:
            try:
                self._run(java, children, later, site)
            except KeyboardInterrupt:
                self.stdout.write("\nStopping ...")
            finally:
                # A second Ctrl-C or kill must not interrupt the shutdown.
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                end_all([*later, *children])
        if site:
            self.stdout.write(f"Stopped. Your data stays in {settings.VAR_DIR}.")

    def _run(
        self, java: list[Child], children: list[Child], later: list[Child], site: SiteAddress | None
    ) -> None:
        """Start the worker and the site, and supervise them until this process is stopped.

        The process that adds to the demo is put into `later`; it is not restarted.
        """

        def ensure_all() -> None:
            for child in (*java, *children):
                child.ensure()

        children.append(self._child("worker", supervise, tuple(LANES)))
        if site is None:
            ensure_all()
            if status := run_in_child("demo", show_demo):
                raise SystemExit(status)
            return
        password = administrator_password()
        listening = listen(site.host, site.port)
        children.append(self._child("site", serve_site, listening.fileno(), site.is_exposed))
        ensure_all()
        url = self._announce(listening, password)
        run_in_child("demo", show_demo, True)
        self.stdout.write(f"\nEverything is ready at {url}. Press Ctrl-C to stop.")
        self.stdout.flush()
        later.append(self._child("demo", show_more, ADMINISTRATOR))
        later[0].ensure()
        while True:
            time.sleep(0.5)
            ensure_all()

    def _child(self, name: str, target: Callable[..., object], *arguments: object) -> Child:
        log = settings.VAR_DIR / "log" / f"{name}.log"
        return Child(name, target, arguments, log, own_group=True, report=self._report)

    def _report(self, message: str) -> None:
        self.stderr.write(message)

    def _announce(self, listening: socket.socket, password: str | None) -> str:
        """Print the site's URL and who can sign in, and return the URL."""
        host, port = listening.getsockname()[:2]
        url_host = f"[{host}]" if ":" in host else host
        url = f"http://{url_host}:{port}"
        self.stdout.write(self.style.SUCCESS(f"Concord is at {url}"))
        credential = f"the password {password}" if password else "the password that you chose"
        self.stdout.write(f"Sign in as {ADMINISTRATOR} with {credential}.")
        self.stdout.flush()
        return url


def check_host(host: str) -> None:
    """Raise CommandError unless the host is on the loopback interface."""
    try:
        exposure.check_host(host)
    except exposure.ExposureError as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"--host {host}: {error.strerror}.") from None


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on the port. Where it is taken, another is proposed in a terminal.

    Raises CommandError where it cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        can_ask = error.errno == errno.EADDRINUSE and sys.stdin.isatty()
        if can_ask and input(f"Port {port} is taken. Use {port + 1}? [Y/n] ").lower() in ("", "y"):
            return listen(host, port + 1)
        raise CommandError(
            f"Port {port} of {host}: {error.strerror}. Choose another: PORT={port + 1} make run."
        ) from error
    listening.listen(1024)
    return listening


def serve_site(listening: int, is_exposed: bool) -> None:
    """Run gunicorn on an open socket in this process.

    is_exposed: whether other machines may reach the socket's address.
    """
    os.set_inheritable(listening, True)
    os.environ[exposure.SETTING] = str(is_exposed)
    sys.argv = ["gunicorn", "-c", "python:config.web.server", "--bind", f"fd://{listening}"]
    wsgiapp.run()


def administrator_password() -> str | None:
    """The initial password of the first administrator; None after it was changed.

    It is created with the account and stored in a file that only the owner can read.
    """
    file = settings.VAR_DIR / "admin_password"
    users = get_user_model().objects
    administrator = users.filter(is_superuser=True, username=ADMINISTRATOR).first()
    if administrator is None:
        password = secrets.token_urlsafe(12)
        file.touch(mode=0o600)
        file.write_text(password)
        users.create_superuser(ADMINISTRATOR, password=password)
        return password
    password = file.read_text() if file.exists() else ""
    return password if password and administrator.check_password(password) else None
