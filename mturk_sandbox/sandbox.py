"""The sandbox: its engine and its server, which runs in its own or in the caller's thread."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

from mturk_sandbox.engine import Engine
from mturk_sandbox.options import Faults, SandboxOptions
from mturk_sandbox.server import SandboxServer


class Sandbox:
    """A running server: `with Sandbox() as s:` serves at `s.url` on a free port, in memory.

    Keywords are those of `Options`; `port` 0 chooses a free port. A `with` statement serves from a
    new thread, `serve_forever` from the caller's.
    """

    def __init__(
        self,
        options: SandboxOptions | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        **changes: Any,
    ) -> None:
        options_copy = replace(options or SandboxOptions(), **changes)
        if options_copy.data is not None:
            options_copy.data = Path(options_copy.data)
        self.engine = Engine(options_copy)
        self._server = SandboxServer((host, port), self.engine)
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The endpoint_url for boto3, without a slash at the end."""
        return self._server.url

    @property
    def worker_url(self) -> str:
        return f"{self.url}/worker/"

    @property
    def faults(self) -> Faults:
        """The simulated faults; `faults.change({"die_at": 3})` resets the counters."""
        return self.engine.options.faults

    def advance(self, seconds: float) -> float:
        """Advance the clock; returns the new time."""
        return self.engine.advance(seconds)

    def serve_forever(self) -> None:
        """Serve until `stop`, or until the thread is interrupted."""
        self._server.serve_forever(poll_interval=0.05)

    def start(self) -> None:
        self._thread = threading.Thread(target=self.serve_forever, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop accepting requests, finish the running ones, and close the database."""
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self.engine.close()

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
