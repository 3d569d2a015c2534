"""The options of a sandbox, and the faults that it can simulate."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Faults:
    """Simulated faults, counted over the calls of the MTurk API; they can change at run time.

    throttle_every: every n-th call fails with ThrottlingException and has no effect.
    die_at: the k-th call from now is executed, but the connection is closed without an answer.
    duplicate_every: every n-th notification message is delivered twice.
    """

    throttle_every: int = 0
    die_at: int = 0
    duplicate_every: int = 0
    calls: int = 0
    messages: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def change(self, changes: dict[str, int]) -> None:
        """Set some of the faults and reset the counters. Raises ValueError for an unknown one."""
        names = {"throttle_every", "die_at", "duplicate_every"}
        if not set(changes) <= names:
            raise ValueError(f"Faults are {', '.join(sorted(names))}.")
        if any(not isinstance(value, int) or value < 0 for value in changes.values()):
            raise ValueError("A fault is a whole number, 0 for none.")
        with self._lock:
            for name, value in changes.items():
                setattr(self, name, value)
            self.calls = self.messages = 0

    def next_call(self) -> tuple[bool, bool]:
        """Count a call; returns whether it is throttled, and whether its answer is lost."""
        with self._lock:
            self.calls += 1
            throttled = bool(self.throttle_every) and self.calls % self.throttle_every == 0
            return throttled, bool(self.die_at) and self.calls == self.die_at

    def next_message_is_doubled(self) -> bool:
        with self._lock:
            self.messages += 1
            return bool(self.duplicate_every) and self.messages % self.duplicate_every == 0


@dataclass
class SandboxOptions:
    """The options at the start of a sandbox.

    data: the folder of the database; None keeps it in memory. balance_cents: the initial balance of
    an account. start: the time of a fixed clock (seconds since the epoch); None uses the machine's
    time. local_http: accept ExternalQuestion URLs without https on this machine (MTurk does not).
    """

    data: Path | None = None
    balance_cents: int = 1_000_000
    start: float | None = None
    local_http: bool = True
    faults: Faults = field(default_factory=Faults)
