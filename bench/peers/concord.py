"""Concord, as `manage.py run` and deploy/ serve it: gunicorn and PostgreSQL."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers.client import Client
from bench.peers.processes import WebServer, core_seconds, kill_tree
from bench.peers.site import RATINGS_EACH, Rater
from config import embedded

if TYPE_CHECKING:
    from annotation.studies.intake import Item
    from annotation.studies.models import Study
    from bench.rating_pages import FetchedTask

ROOT = Path(__file__).resolve().parents[2]


class Concord:
    """Needs CONCORD_VAR in the environment, and Django set up."""

    title = "Concord"
    served_by = "gunicorn, 2 processes of 16 threads (its default); embedded PostgreSQL"

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "gunicorn", "-c", "python:config.web.server"]
        self._web = WebServer(command, ROOT, folder / "concord.log")
        self._web.command += ["--bind", f"127.0.0.1:{self._web.port}"]
        self._study: Study | None = None
        self._raters: list[_Rater] = []

    def prepare(self, candidates: list[Item]) -> None:
        from django.conf import settings

        from bench.rating_load import make_study

        embedded.ensure(settings.EMBEDDED_PATHS)
        self._study = make_study(candidates, RATINGS_EACH)

    def start(self) -> None:
        from django.conf import settings

        embedded.ensure(settings.EMBEDDED_PATHS)
        self._web.start("/healthz")

    def kill(self) -> None:
        from django.conf import settings
        from django.db import connections

        connections.close_all()
        self._web.end(signal.SIGKILL)
        kill_tree(self._postgres)
        embedded.leave(settings.EMBEDDED_PATHS)

    def stop(self) -> None:
        self._web.end(signal.SIGTERM)

    def core_seconds(self) -> float:
        return core_seconds(self._web.pid) + core_seconds(self._postgres)

    @property
    def _postgres(self) -> int:
        from django.conf import settings

        lock = settings.EMBEDDED_PATHS.postgres_data / "postmaster.pid"
        return int(lock.read_text().split()[0])

    def raters(self, count: int) -> list[Rater]:
        from bench.rating_pages import join_path

        assert self._study is not None
        paths = [join_path(self._study, 1, number) for number in range(count)]
        self._raters = [_Rater(Client(self._web.port), path) for path in paths]
        return list(self._raters)

    def stored(self) -> Counter[tuple[str, str, int]]:
        from annotation.rating.models import Assignment, Rating

        names: dict[int, str] = {}
        for rater in self._raters:
            mine = Assignment.objects.filter(pk__in=rater.assignments)
            names.update((worker, rater.name) for worker in mine.values_list("worker", flat=True))
        rows = Rating.objects.values_list("worker", "candidate", "value")
        return Counter((names[by], str(candidate), value or 0) for by, candidate, value in rows)


class _Rater:
    def __init__(self, client: Client, join_path: str) -> None:
        self.name = join_path
        self._client, self._home = client, ""
        self._task: FetchedTask | None = None
        self.assignments: set[int] = set()

    def enter(self) -> None:
        text = self._client.get(self.name)
        self._home = self._client.path
        if 'id="before"' in text:
            self._client.post_form(self._home, {})

    def take(self) -> str | None:
        """As the page's button: a submission opens the next task."""
        from bench.rating_pages import FetchedPage, read_task

        submitted, self._task = self._task, None
        if submitted is not None:
            text = self._client.post_form(submitted.path, {"action": "submit", "saved": "1"})
        else:  # the first, or after no response
            text = self._client.post_form(f"{self._home}task/", {})
        self._task = read_task(FetchedPage(200, self._client.path, text))
        if self._task is None:
            return None
        self.assignments.add(self._task.assignment)
        return str(self._task.candidates[0])

    def save(self, candidate: str, value: int) -> None:
        assert self._task is not None
        rating = {"candidate": int(candidate), "value": value, "seconds": 1.0}
        self._client.post_json(self._task.save_path, {"ratings": [rating]})
