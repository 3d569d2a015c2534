"""Raters who use both web servers and remember what was confirmed to them."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection
from itertools import cycle

from annotation.rating.simulation.answers import AnswerModel
from bench.rating_pages import (
    Browser,
    FetchedPage,
    FetchedTask,
    Kind,
    SimulatedWorker,
)
from concord.simulation.raters import SimulatedRater

ANSWER_SECONDS = 15.0  # that a browser waits, before it asks the other server
PATIENCE_SECONDS = 240.0


class EitherServer(HTTPConnection):
    """A connection to one of several servers; once closed, it is opened to the next one."""

    def __init__(self, hosts: Sequence[str], port: int) -> None:
        self._hosts = cycle(hosts)
        super().__init__(next(self._hosts), port, timeout=ANSWER_SECONDS)

    def close(self) -> None:
        super().close()
        self.host = next(self._hosts)


class FleetBrowser(Browser):
    """A browser that goes to another web server when one does not answer, as a load balancer does.

    `submitted` are the assignments whose submission was confirmed.
    """

    def __init__(self, hosts: Sequence[str], port: int) -> None:
        super().__init__(f"http://{hosts[0]}:{port}", patience=PATIENCE_SECONDS)
        self._connection = EitherServer(hosts, port)
        self.submitted: set[int] = set()

    def post_form(self, path: str, values: Mapping[str, str], kind: Kind = "page") -> FetchedPage:
        page = super().post_form(path, values, kind)
        if values.get("action") == "submit" and page.status == 200:
            self.submitted.add(int(re.findall(r"\d+", path)[-1]))
        return page


class RememberingWorker(SimulatedWorker):
    """A worker who thinks before each rating, `thinking` seconds on average.

    `saved` are the ratings that were confirmed: the value, by assignment and candidate.
    """

    def __init__(
        self,
        browser: FleetBrowser,
        join_path: str,
        rater: SimulatedRater,
        answer_model: AnswerModel,
        thinking: float,
    ) -> None:
        super().__init__(browser, join_path, rater, answer_model)
        self.thinking = thinking
        self.saved: dict[tuple[int, int], int] = {}

    def save(self, task: FetchedTask, candidate: int, value: int) -> FetchedPage:
        """As the page's script does it: with the time of the rating, so that a request which
        arrives late does not undo a later change."""
        time.sleep(random.expovariate(1 / self.thinking))
        made_at = round(time.time() * 1000)
        rating = {"candidate": candidate, "value": value, "seconds": 1.0, "made_at": made_at}
        page = self.browser.post_json(task.save_path, {"ratings": [rating]}, "save")
        if page.status == 200:
            self.saved[task.assignment, candidate] = value
        return page
