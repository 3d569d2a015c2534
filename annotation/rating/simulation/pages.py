"""The rating pages as a worker's browser uses them, over HTTP, without a browser.

Everything a worker sends may be sent twice, so a request whose answer was lost is sent again, as
the page's own script does.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Literal
from urllib.parse import urlencode, urljoin, urlsplit

from concord.simulation.raters import SimulatedRater

REDIRECTS = (301, 302, 303)
UNAVAILABLE = (502, 503, 504)
MOST_REDIRECTS = 5

Kind = Literal["page", "hand-out", "save", "submit"]
Turn = Literal["rated", "nothing", "passed", "failed"]


class PageProblemError(Exception):
    """A page that did not answer, or not as a rating page does."""


@dataclass
class Timings:
    """Seconds that requests took, by what they did. One for each thread; `merged` adds them up."""

    seconds: dict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))

    def merged(self, others: list[Timings]) -> Timings:
        found = Timings()
        for one in (self, *others):
            for kind, seconds in one.seconds.items():
                found.seconds[kind] += seconds
        return found


@dataclass(frozen=True)
class Page:
    """An answer: its status, the path it came from after redirects, its text."""

    status: int
    path: str
    text: str

    def attribute(self, name: str) -> str:
        """The value of the first attribute `name` in the page; empty where there is none."""
        found = re.search(rf'\b{name}="([^"]*)"', self.text)
        return found[1] if found else ""


@dataclass(frozen=True)
class Task:
    """A task as its page shows it: the candidates in the worker's order, and where to send."""

    assignment: int
    candidates: tuple[int, ...]
    save_path: str
    path: str
    is_test: bool


class Browser:
    """One worker's connection to the site. `patience`: seconds to keep trying while it is away."""

    def __init__(self, url: str, timings: Timings | None = None, patience: float = 30.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise PageProblemError(f"'{url}' is no address of a site: http://127.0.0.1:8000")
        of_scheme = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = of_scheme(parts.hostname, parts.port, timeout=60)
        self.timings = timings or Timings()
        self.patience = patience

    def get(self, path: str, kind: Kind = "page") -> Page:
        return self._follow("GET", path, None, {}, kind)

    def post_form(self, path: str, values: Mapping[str, str], kind: Kind = "page") -> Page:
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return self._follow("POST", path, urlencode(values).encode(), headers, kind)

    def post_json(self, path: str, content: object, kind: Kind = "page") -> Page:
        headers = {"Content-Type": "application/json"}
        return self._follow("POST", path, json.dumps(content).encode(), headers, kind)

    def close(self) -> None:
        self._connection.close()

    def _follow(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str], kind: Kind
    ) -> Page:
        for _ in range(MOST_REDIRECTS):
            started = time.perf_counter()
            status, location, text = self._ask(method, path, body, headers)
            self.timings.seconds[kind].append(time.perf_counter() - started)
            if status not in REDIRECTS:
                return Page(status, path, text)
            moved = urlsplit(urljoin(path, location))
            path = moved.path + (f"?{moved.query}" if moved.query else "")
            method, body, headers, kind = "GET", None, {}, "page"
        raise PageProblemError(f"{path} redirects without end.")

    def _ask(
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


class Worker:
    """A simulated worker on the rating pages.

    `true` gives the true score of a candidate by its key in the database.
    """

    def __init__(
        self, browser: Browser, join_path: str, rater: SimulatedRater, true: Callable[[int], float]
    ) -> None:
        self.browser, self.join_path = browser, join_path
        self.rater, self.true = rater, true
        self.home = ""
        self.ratings = 0

    def enter(self) -> None:
        """Follow the invitation and agree to what the study asks consent for."""
        page = expect(self.browser.get(self.join_path), 200)
        self.home = page.path
        if 'id="before"' in page.text:
            expect(self.browser.post_form(self.home, {}), 200)

    def turn(self) -> Turn:
        """Rate one task, a qualification test with all its tries; "nothing" where there is none."""
        if not self.home:
            self.enter()
        while (task := self.take()) is not None:
            self.rate(task)
            after = self.submit(task)
            if not task.is_test:
                return "rated"
            if "You passed the test" in after.text:
                return "passed"
            if "Try again" not in after.text:
                return "failed"
            expect(self.browser.post_form(f"{self.home}test/", {}), 200)
        return "nothing"

    def take(self) -> Task | None:
        """Ask for a task, or for the one in hand; None when none can be had."""
        page = expect(self.browser.post_form(f"{self.home}task/", {}, "hand-out"), 200)
        return read_task(page)

    def rate(self, task: Task) -> None:
        """Rate every candidate, each saved as it is rated."""
        for candidate in task.candidates:
            self.save(task, candidate, self.rater.rate(self.true(candidate)))

    def save(self, task: Task, candidate: int, value: int) -> Page:
        rating = {"candidate": candidate, "value": value, "seconds": self.rater.seconds()}
        self.ratings += 1
        return self.browser.post_json(task.save_path, {"ratings": [rating]}, "save")

    def submit(self, task: Task) -> Page:
        given = {"action": "submit", "saved": "1"}
        return expect(self.browser.post_form(task.path, given, "submit"), 200)


def read_task(page: Page) -> Task | None:
    """The task that a page shows; None where it shows none."""
    assignment = page.attribute("data-assignment")
    if not assignment:
        return None
    return Task(
        assignment=int(assignment),
        candidates=tuple(map(int, re.findall(r'data-candidate="(\d+)"', page.text))),
        save_path=page.attribute("data-save"),
        path=page.attribute("data-save").removesuffix("ratings/"),
        is_test="<h1>Test" in page.text,
    )


def expect(page: Page, status: int) -> Page:
    """The page, when it has this status. Raises PageProblemError."""
    if page.status != status:
        said = re.sub(r"<[^>]+>|\s+", " ", page.text).strip()[:300]
        raise PageProblemError(f"{page.path} answered {page.status}: {said}")
    return page
