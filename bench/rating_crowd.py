"""A run of many simulated workers who take turns: one task each, then back in the queue."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from bench.rating_pages import (
    Kind,
    PageProblemError,
    SimulatedWorker,
    Timings,
    Turn,
)


@dataclass
class RunOutcome:
    """The result of a run. `turns` counts tasks rated and tests passed and failed."""

    turns: Counter[Turn] = field(default_factory=Counter)
    ratings: int = 0
    seconds: float = 0.0
    timings: Timings = field(default_factory=Timings)
    problems: list[str] = field(default_factory=list)

    @property
    def assignments(self) -> int:
        return self.turns["rated"] + self.turns["passed"] + self.turns["failed"]

    def latency(self, kind: Kind, percentile: float) -> float | None:
        """The latency in milliseconds at a percentile; None without requests."""
        seconds = self.timings.seconds.get(kind)
        return float(np.percentile(seconds, percentile)) * 1000 if seconds else None


class CrowdRun:
    """Runs workers in several threads until nothing is left or `stop` is called.

    A worker leaves the queue if there is no task for them or they failed the test. At most `limit`
    tasks and tests are started. `after` is called after every turn, in any thread.
    """

    def __init__(
        self,
        workers: Iterable[SimulatedWorker],
        limit: int | None = None,
        after: Callable[[], object] = bool,
    ) -> None:
        self._queue = deque(workers)
        self._left = float("inf") if limit is None else limit
        self._after = after
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.outcome = RunOutcome()

    def stop(self) -> None:
        """Let every worker finish the current turn, and start no more."""
        self._stopped.set()

    def run(self, threads: int) -> RunOutcome:
        """Run all turns and return the outcome. A page error ends its worker's turns."""
        started = time.perf_counter()
        workers = list(self._queue)
        running_threads = [threading.Thread(target=self._work) for _ in range(threads)]
        for thread in running_threads:
            thread.start()
        try:
            for thread in running_threads:
                while thread.is_alive():
                    thread.join(0.2)
        except KeyboardInterrupt:
            self.stop()
            for thread in running_threads:
                thread.join()
        self.outcome.seconds = time.perf_counter() - started
        self.outcome.ratings = sum(worker.ratings for worker in workers)
        self.outcome.timings = Timings().merge([w.browser.timings for w in workers])
        return self.outcome

    def _work(self) -> None:
        while (worker := self._next()) is not None:
            try:
                turn = worker.turn()
            except PageProblemError as error:
                self._done("nothing", str(error))
                worker.browser.close()
                continue
            self._done(turn)
            if turn in ("rated", "passed"):
                self._queue.append(worker)
            else:
                worker.browser.close()

    def _next(self) -> SimulatedWorker | None:
        with self._lock:
            if self._stopped.is_set() or self._left <= 0 or not self._queue:
                return None
            self._left -= 1
            return self._queue.popleft()

    def _done(self, turn: Turn, problem: str = "") -> None:
        with self._lock:
            self.outcome.turns[turn] += 1
            if turn == "nothing":
                self._left += 1
            if problem and problem not in self.outcome.problems:
                self.outcome.problems.append(problem)
        self._after()
