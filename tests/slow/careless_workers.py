"""Workers who abandon tasks, post twice and change their answers on the rating pages."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Sequence

from bench.rating_pages import (
    FetchedPage,
    FetchedTask,
    PageProblemError,
    SimulatedWorker,
)


class CarelessClient:
    """One browser that several workers use, one at a time.

    To walk away is to leave the task held and let another of the workers go on. Answers with a
    status that no page should give are collected in `problems`.
    """

    def __init__(
        self,
        workers: Sequence[SimulatedWorker],
        seed: int,
        mishaps: float,
        values: tuple[int, int] = (1, 5),
    ) -> None:
        self.workers = list(workers)
        self.chance = random.Random(seed)
        self.mishaps = mishaps
        self.values = values
        self.happened: Counter[str] = Counter()
        self.problems: list[str] = []

    def work(self, done: threading.Event) -> None:
        while not done.is_set():
            worker = self.workers[0]
            try:
                self._turn(worker, done)
            except PageProblemError as error:
                self.problems.append(str(error))
                return
        for worker in self.workers:
            worker.browser.close()

    def _turn(self, worker: SimulatedWorker, done: threading.Event) -> None:
        if not worker.home:
            worker.enter()
        task = worker.take()
        if task is None:
            self._next_worker()
            done.wait(0.2)
            return
        self.happened["handed out"] += 1
        what = self.chance.random() / self.mishaps
        if what < 0.35:
            self._rate(worker, task, self.chance.randrange(len(task.candidates)))
            self.happened["walked away"] += 1
            self._next_worker()
            return
        self._rate(worker, task, len(task.candidates))
        if what < 0.5:
            self._answered(worker.browser.post_form(task.path, {"action": "return"}), "returned")
            return
        for _ in range(2 if what < 1 else 1):
            form = {"action": "submit", "saved": "1"}
            self._answered(worker.browser.post_form(task.path, form, "submit"), "submitted")

    def _rate(self, worker: SimulatedWorker, task: FetchedTask, count: int) -> None:
        for candidate in task.candidates[:count]:
            for _ in range(2 if self.chance.random() < 0.2 * self.mishaps else 1):
                saved = worker.save(task, candidate, self.chance.randint(*self.values))
                # 409: what was submitted from elsewhere, or given back, stays as it is.
                self._answered(saved, "saved", 409)

    def _answered(self, page: FetchedPage, what: str, *also: int) -> None:
        if page.status in (200, *also):
            self.happened[f"{what}" if page.status == 200 else f"{what}: refused"] += 1
        else:
            self.problems.append(f"{page.path}: {page.status}")

    def _next_worker(self) -> None:
        self.workers.append(self.workers.pop(0))
