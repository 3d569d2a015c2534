"""Supervise child processes: start, restart and stop them."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

from celery import current_app
from django.db import connections

from core.processes import RestartPause, die_with_parent, permanent_imports

# On Linux, a forked child shares the modules that the parent has loaded. Elsewhere forking is not
# safe, and children import everything themselves.
_CONTEXT = multiprocessing.get_context("fork" if sys.platform.startswith("linux") else "spawn")


@dataclass
class Child:
    """A process that is kept running. It calls the importable function `target`.

    log: the file for its output; None: the output of this process.
    own_group: whether it is in its own process group, which the terminal's Ctrl-C does not reach.
    report: called with messages about restarts.

    A child that ended without an error is restarted at once, others after a growing pause.
    """

    name: str
    target: Callable[..., object]
    arguments: tuple[object, ...] = ()
    log: Path | None = None
    own_group: bool = False
    process: BaseProcess | None = None
    restarts: RestartPause = field(default_factory=RestartPause)
    report: Callable[[str], None] = field(default=print)

    def ensure(self) -> None:
        """Start the process if it does not run and the pause since its last end is over."""
        if self.process is not None:
            if self.process.is_alive():
                return
            self._after_end(self.process.exitcode)
            self.process = None
        if self.restarts.is_over():
            self._start()

    def end(self, timeout: float = 20.0) -> None:
        """Let the process finish its work; kill it after `timeout` seconds."""
        if self.process is None:
            return
        self.process.terminate()
        self.process.join(timeout)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process = None

    def _after_end(self, status: int | None) -> None:
        self.restarts.ended(failed=status != 0)
        if status != 0:
            self.report(f"The {self.name} ended ({status}); restarting it.")

    def _start(self) -> None:
        connections.close_all()  # a connection must not be shared with the child
        self.process = _CONTEXT.Process(  # type: ignore[attr-defined]
            name=self.name,
            target=_run,
            args=(self.target, self.arguments, self.log, self.own_group, os.getpid()),
        )
        self.process.start()


def preload() -> None:
    """Import the modules that child processes need, so that they share memory."""
    with permanent_imports():
        importlib.import_module("scipy.stats")  # otherwise each child loads it on first use
        current_app.loader.import_default_modules()
        gc.collect()


def run_in_child(name: str, target: Callable[..., object], *arguments: object) -> int:
    """Call `target` in a child process and wait for it. Returns its exit status.

    Connections to the database and the broker that it opens end with it.
    """
    child = Child(name, target, arguments)
    child.ensure()
    assert child.process is not None
    try:
        child.process.join()
        return child.process.exitcode or 0
    finally:
        child.end()


def end_all(children: list[Child]) -> None:
    """Stop the children in parallel."""
    for child in children:
        if child.process is not None:
            child.process.terminate()
    for child in children:
        child.end()


def stop_on_signals() -> None:
    """Have SIGTERM and SIGHUP end this process as Ctrl-C does, so that `finally` blocks run."""

    def exit_process(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, exit_process)
    signal.signal(signal.SIGHUP, exit_process)


def _run(
    target: Callable[..., object],
    arguments: tuple[object, ...],
    log: Path | None,
    own_group: bool,
    parent: int,
) -> None:
    """The main function of a child, which does not outlive its parent."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if own_group:
        os.setsid()
    if (set_death_signal := die_with_parent()) is not None:
        set_death_signal()
        if os.getppid() != parent:  # the parent died before the signal was set
            sys.exit(1)
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
    import django

    django.setup()  # for a child that was not forked
    try:
        target(*arguments)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
