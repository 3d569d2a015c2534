"""The load: raters who get a candidate, rate it and get the next, as fast as the site responds.

A request without a response is repeated, as people press a button again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import numpy as np

from bench.peers.client import RefusedError, UnansweredError
from bench.peers.site import RATINGS_EACH, SCALE, Rater

PAUSE = 0.2  # seconds before something is asked again
PATIENCE = 300.0  # seconds after which a rater gives up; ends a hang
Result = TypeVar("Result")


@dataclass
class Record:
    """What the raters saw: seconds of each response, acknowledged ratings, errors by text."""

    take: list[float] = field(default_factory=list)
    save: list[float] = field(default_factory=list)
    acknowledged: dict[tuple[str, str], int] = field(default_factory=dict)
    unanswered: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


class Load:
    """A fixed number of raters, each in a thread; may be run several times."""

    def __init__(self, raters: list[Rater]) -> None:
        self._raters = raters
        self._values = {rater.name: np.random.default_rng(at) for at, rater in enumerate(raters)}
        self._lock = threading.Lock()

    def enter(self) -> None:
        for rater in self._raters:
            rater.enter()

    def run(self, seconds: float, during: Callable[[], None] | None = None) -> Record:
        """Rate for so long; `during` is called by this thread meanwhile. Every rater ends with a
        rating acknowledged."""
        record = Record()
        over = threading.Event()
        threads = [
            threading.Thread(target=self._rate, args=(rater, record, over))
            for rater in self._raters
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        try:
            if during is not None:
                during()
            time.sleep(max(0.0, started + seconds - time.perf_counter()))
        finally:
            over.set()
            for thread in threads:
                thread.join()
        record.seconds = time.perf_counter() - started
        return record

    def _rate(self, rater: Rater, record: Record, over: threading.Event) -> None:
        while not over.is_set():
            try:
                candidate = self._timed(rater.take, record, record.take)
                if candidate is None:
                    over.wait(PAUSE)
                    continue
                value = int(self._values[rater.name].choice(SCALE))
                self._timed(partial(rater.save, candidate, value), record, record.save)
            except RefusedError as error:
                with self._lock:
                    record.refused[error.text] += 1
                over.wait(PAUSE)
                continue
            with self._lock:
                record.acknowledged[rater.name, candidate] = value

    def _timed(self, ask: Callable[[], Result], record: Record, seconds: list[float]) -> Result:
        deadline = time.monotonic() + PATIENCE
        while True:
            started = time.perf_counter()
            try:
                result = ask()
            except UnansweredError as error:
                if time.monotonic() > deadline:
                    raise RefusedError("", 0, f"no answer: {error}") from error
                with self._lock:
                    record.unanswered += 1
                time.sleep(PAUSE)
                continue
            seconds.append(time.perf_counter() - started)
            return result


@dataclass(frozen=True)
class Losses:
    """What a platform has stored, compared with what it acknowledged."""

    acknowledged: int
    lost: int
    changed: int
    doubled: int
    beyond: int

    @classmethod
    def of(
        cls, acknowledged: dict[tuple[str, str], int], stored: Counter[tuple[str, str, int]]
    ) -> Losses:
        """`lost`: acknowledged and not there; `changed`: there with another value alone;
        `doubled`: further ratings of one rater for one candidate; `beyond`: candidates with ratings
        of more raters than were asked for."""
        times: Counter[tuple[str, str]] = Counter()
        raters: Counter[str] = Counter()
        for (rater, candidate, _), count in stored.items():
            times[rater, candidate] += count
        for _, candidate in times:
            raters[candidate] += 1
        return cls(
            acknowledged=len(acknowledged),
            lost=sum(pair not in times for pair in acknowledged),
            changed=sum(
                pair in times and (*pair, value) not in stored
                for pair, value in acknowledged.items()
            ),
            doubled=sum(count - 1 for count in times.values()),
            beyond=sum(count > RATINGS_EACH for count in raters.values()),
        )
