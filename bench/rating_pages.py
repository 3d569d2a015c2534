"""An HTTP client of the rating pages that acts like a worker's browser.

Every request may be sent twice, so a request without an answer is sent again, as the page's script
does.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode, urljoin, urlsplit

from concord.simulation.raters import SimulatedRater

if TYPE_CHECKING:
    from annotation.rating.simulation.answers import AnswerModel
    from annotation.studies.models import Study

REDIRECTS = (301, 302, 303)
UNAVAILABLE = (502, 503, 504)
MAX_REDIRECTS = 5

Kind = Literal["page", "hand-out", "save", "submit"]
Turn = Literal["rated", "nothing", "passed", "failed"]


class PageProblemError(Exception):
    """A page that did not answer, or not as a rating page does."""


@dataclass
class Timings:
    """Durations of requests in seconds, by kind. One object per thread; `merge` combines them."""

    seconds: dict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def merge(self, others: list[Timings]) -> Timings:
        total = Timings()
        for one in (self, *others):
            for kind, seconds in one.seconds.items():
                total.seconds[kind] += seconds
        return total


@dataclass(frozen=True)
class FetchedPage:
    """A response: its status, its path after redirects, its text."""

    status: int
    path: str
    text: str

    def attribute(self, name: str) -> str:
        """The value of the first attribute `name` in the page; empty if there is none."""
        match = re.search(rf'\b{name}="([^"]*)"', self.text)
        return match[1] if match else ""


@dataclass(frozen=True)
class FetchedTask:
    """A task as its page shows it: the candidates in the worker's order, and the URLs to send
    to."""

    assignment: int
    candidates: tuple[int, ...]
    save_path: str
    path: str
    is_test: bool


class Browser:
    """One worker's connection to the site. `patience`: seconds to retry while it is unavailable."""

    def __init__(self, url: str, timings: Timings | None = None, patience: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PageProblemError(
                f"'{url}' is not the address of a site, such as http://127.0.0.1:8000"
            )
        connection_class = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = connection_class(parts.hostname, parts.port, timeout=60)
        self.timings = timings or Timings()
        self.patience = patience

    def get(self, path: str, kind: Kind = "page") -> FetchedPage:
        return self._follow("GET", path, None, {}, kind)

    def post_form(self, path: str, values: Mapping[str, str], kind: Kind = "page") -> FetchedPage:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._follow("POST", path, urlencode(values).encode(), headers, kind)

    def post_json(self, path: str, content: object, kind: Kind = "page") -> FetchedPage:
        headers = {"Content-Type": "application/json"}
        return self._follow("POST", path, json.dumps(content).encode(), headers, kind)

    def close(self) -> None:
        self._connection.close()

    def _follow(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], kind: Kind
    ) -> FetchedPage:
        for _ in range(MAX_REDIRECTS):
            started = time.perf_counter()
            status, location, text = self._request(method, path, body, headers)
            self.timings.seconds[kind].append(time.perf_counter() - started)
            if status not in REDIRECTS:
                return FetchedPage(status, path, text)
            moved = urlsplit(urljoin(path, location))
            path = moved.path + (f"?{moved.query}" if moved.query else "")
            method, body, headers, kind = "GET", None, {}, "page"
        raise PageProblemError(f"{path} redirects more than {MAX_REDIRECTS} times.")

    def _request(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, str, str]:
        deadline = time.monotonic() + self.patience
        while True:
            try:
                self._connection.request(method, path, body, headers)
                answer = self._connection.getresponse()
                text = answer.read().decode("utf-8", "replace")
                if answer.status not in UNAVAILABLE:
                    return answer.status, answer.getheader("Location", "") or "", text
                problem = f"status {answer.status}"
            except (OSError, HTTPException) as error:
                problem = str(error) or type(error).__name__
            self._connection.close()
            if time.monotonic() > deadline:
                raise PageProblemError(f"{path} does not answer: {problem}.")
            time.sleep(0.05)


def join_path(study: Study, seed: int, number: int) -> str:
    """The invitation of a simulated worker; the same worker in every run with this seed."""
    from django.urls import reverse

    from annotation.rating.services.invitations import signed_invitation
    from annotation.rating.simulation.crowd_run import simulated_worker

    signed = signed_invitation(study, simulated_worker(seed, number))
    return f"{reverse('rating-join', args=[study.slug])}?invite={signed}"


class SimulatedWorker:
    """A simulated worker on the rating pages, whose ratings `answer_model` makes."""

    def __init__(
        self,
        browser: Browser,
        join_path: str,
        rater: SimulatedRater,
        answer_model: AnswerModel,
    ) -> None:
        self.browser, self.join_path = browser, join_path
        self.rater, self.answer_model = rater, answer_model
        self.home = ""
        self.ratings = 0

    def enter(self) -> None:
        """Follow the invitation and give consent if it is requested."""
        page = expect(self.browser.get(self.join_path), 200)
        self.home = page.path
        if 'id="before"' in page.text:
            expect(self.browser.post_form(self.home, {}), 200)

    def turn(self) -> Turn:
        """Rate one task, or a qualification test with all its tries; "nothing" if there is none."""
        if not self.home:
            self.enter()
        while (task := self.take()) is not None:
            self.rate(task)
            after = self.submit(task)
            if not task.is_test:
                return "rated"
            result = after.attribute("data-result")
            if result != "retry":
                return "passed" if result == "passed" else "failed"
            expect(self.browser.post_form(f"{self.home}test/", {}), 200)
        return "nothing"

    def take(self) -> FetchedTask | None:
        """Request a task, or get the one in progress; None if there is none."""
        page = expect(self.browser.post_form(f"{self.home}task/", {}, "hand-out"), 200)
        return read_task(page)

    def rate(self, task: FetchedTask) -> None:
        """Rate every candidate; each rating is saved at once."""
        for candidate in task.candidates:
            self.save(task, candidate, self.answer_model.value(self.rater, candidate))

    def save(self, task: FetchedTask, candidate: int, value: int) -> FetchedPage:
        rating = {
            "candidate": candidate,
            "value": value,
            "answers": self.answer_model.answers(self.rater, candidate, value),
            "seconds": self.rater.seconds(),
        }
        self.ratings += 1
        return self.browser.post_json(task.save_path, {"ratings": [rating]}, "save")

    def submit(self, task: FetchedTask) -> FetchedPage:
        values = {"action": "submit-and-stop", "saved": "1"}
        return expect(self.browser.post_form(task.path, values, "submit"), 200)


def read_task(page: FetchedPage) -> FetchedTask | None:
    """The task on a page; None if there is none."""
    assignment = page.attribute("data-assignment")
    if not assignment:
        return None
    return FetchedTask(
        # The time of another try of a test follows.
        assignment=int(assignment.partition("-")[0]),
        candidates=tuple(map(int, re.findall(r'data-candidate="(\d+)"', page.text))),
        save_path=page.attribute("data-save"),
        path=page.attribute("data-save").removesuffix("ratings/"),
        is_test=bool(page.attribute("data-test")),
    )


def expect(page: FetchedPage, status: int) -> FetchedPage:
    """Return the page if it has this status. Raises PageProblemError."""
    if page.status != status:
        text = re.sub(r"<[^>]+>|\s+", " ", page.text).strip()[:300]
        raise PageProblemError(f"{page.path} answered {page.status}: {text}")
    return page
