"""Running child processes: restarted when they end, stopped when asked."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType
from typing import Any

from celery import current_app
from django.db import connections

from core.processes import die_with_parent

MAX_PAUSE_SECONDS = 30.0
STEADY_AFTER = 60.0  # a child that ran this long before it died starts again at once

# Linux forks: a child has what the parent has loaded, at once and in shared memory. Elsewhere a
# fork is not safe, and children import everything themselves.
_CONTEXT = multiprocessing.get_context("fork" if sys.platform.startswith("linux") else "spawn")


@dataclass
class Child:
    """A process to keep running: it calls `target` with `arguments`, a function that a new process
    can import. `log`: the file that takes what it prints; None for this process's own output.

    A child that ends without an error is started again at once, another after a pause that grows.
    """

    name: str
    target: Callable[..., object]
    arguments: tuple[Any, ...] = ()
    log: Path | None = None
    own_group: bool = False  # out of reach of the terminal's Ctrl-C
    process: BaseProcess | None = None
    started: float = 0.0
    pause: float = 0.0
    say: Callable[[str], None] = field(default=print)

    def ensure(self) -> None:
        """Start the process when it does not run and its pause after a death is over."""
        if self.process is not None:
            if self.process.is_alive():
                return
            self._after_end(self.process.exitcode)
            self.process = None
        if time.monotonic() - self.started >= self.pause:
            self._start()

    def end(self, patience: float = 20.0) -> None:
        """Let the process end its work; kill it when that takes longer than `patience` seconds."""
        if self.process is None:
            return
        self.process.terminate()
        self.process.join(patience)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process = None

    def _after_end(self, status: int | None) -> None:
        if status == 0:
            self.pause = 0.0
            return
        lived = time.monotonic() - self.started
        self.pause = 0.0 if lived > STEADY_AFTER else min(MAX_PAUSE_SECONDS, self.pause * 2 + 1)
        self.say(f"The {self.name} ended ({status}); starting it again.")

    def _start(self) -> None:
        connections.close_all()  # a connection must not be shared with the child
        self.process = _CONTEXT.Process(  # type: ignore[attr-defined]
            name=self.name,
            target=_run,
            args=(self.target, self.arguments, self.log, self.own_group, os.getpid()),
        )
        self.process.start()
        self.started = time.monotonic()


def preload() -> None:
    """Import what the children of this process need, so that they share its memory."""
    current_app.loader.import_default_modules()
    gc.collect()
    gc.freeze()  # the collector would write to every object, and so copy it


def run_in_child(name: str, target: Callable[..., object], *arguments: Any) -> int:
    """Call `target` in a child process and wait for its end; returns its exit status. What it
    opens, connections to the database and the broker, leaves with it."""
    child = Child(name, target, arguments)
    child.ensure()
    assert child.process is not None
    try:
        child.process.join()
        return child.process.exitcode or 0
    finally:
        child.end()


def end_all(children: list[Child]) -> None:
    """Stop the children side by side."""
    for child in children:
        if child.process is not None:
            child.process.terminate()
    for child in children:
        child.end()


def stop_on_signals() -> None:
    """Have SIGTERM and SIGHUP end this process as Ctrl-C does, so that `finally` blocks run."""

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)


def _run(
    target: Callable[..., object],
    arguments: tuple[Any, ...],
    log: Path | None,
    own_group: bool,
    parent: int,
) -> None:
    """What the child does: a process of its own that does not outlive its parent."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if own_group:
        os.setsid()
    if (set_death_signal := die_with_parent()) is not None:
        set_death_signal()
        if os.getppid() != parent:  # it died before the kernel was asked
            sys.exit(1)
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
    import django

    django.setup()  # for a child that did not inherit it
    try:
        target(*arguments)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
