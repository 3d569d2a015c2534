"""Statements and CPU time of each request of a rater, in one process.

    .venv/bin/python -m bench.rating_costs [--ratings 200] [--statements]

The requests are those of `bench.rating_peers`: a task with one candidate is saved, submitted and
followed by the next. Each passes through all middleware, but not through a web server. CPU time is
that of this process and of its PostgreSQL backend, which does not depend on what else the machine
does. "empty view" is what Django, psycopg and PostgreSQL need for a view that reads the session and
commits twice. The embedded servers run in a temporary folder.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from bench.temporary_site import temporary_site

if TYPE_CHECKING:
    from annotation.studies.models import Study

WARM_UP = 20  # requests of each kind that are not measured
EMPTY = "empty view"
REQUESTS = ("save", "submit", "next page", "task asked again", "its page")


@dataclass
class Costs:
    """The requests of one kind: CPU seconds of each process, and the statements of the last."""

    web: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)

    def milliseconds(self, name: str) -> float:
        values = getattr(self, name)[WARM_UP:]
        return 1000 * sum(values) / max(1, len(values))


class Meter:
    """Sends requests to the site's WSGI application and adds up what they cost, by kind."""

    def __init__(self) -> None:
        from django.core.wsgi import get_wsgi_application
        from django.db import connection
        from django.test import RequestFactory

        connection.close()
        connection.settings_dict["CONN_MAX_AGE"] = None  # one backend for all requests
        self.costs: defaultdict[str, Costs] = defaultdict(Costs)
        self._application: Callable[..., Any] = get_wsgi_application()
        self._requests = RequestFactory(SERVER_NAME="127.0.0.1", HTTP_ACCEPT="text/html")

    def ask(
        self,
        kind: str,
        method: str,
        path: str,
        body: str = "",
        content_type: str = "application/x-www-form-urlencoded",
        cookie: str = "",
    ) -> tuple[str, str]:
        """The location and the text of the response."""
        request = self._requests.generic(method, path, body, content_type, HTTP_COOKIE=cookie)
        with self._measured(self.costs[kind]):
            started: list[Any] = []
            response = self._application(
                request.environ, lambda status, headers: started.extend((status, dict(headers)))
            )
            text = b"".join(response).decode()
            response.close()
        status, headers = started
        if not status.startswith(("200", "30")):
            raise RuntimeError(f"{method} {path}: {status}: {text[:500]}")
        return headers.get("Location", ""), text

    @contextmanager
    def _measured(self, costs: Costs) -> Iterator[None]:
        from django.db import connection

        connection.ensure_connection()
        backend = connection.connection.info.backend_pid
        connection.force_debug_cursor = len(costs.web) < WARM_UP
        web, database = time.process_time(), _seconds_of(backend)
        try:
            yield
        finally:
            costs.web.append(time.process_time() - web)
            costs.database.append(_seconds_of(backend) - database)
            if connection.force_debug_cursor:
                costs.statements = [query["sql"] for query in connection.queries]
                connection.queries_log.clear()
            connection.force_debug_cursor = False


def _seconds_of(pid: int) -> float:
    """CPU seconds of a process, exact to a nanosecond."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9


def add_empty_view() -> str:
    """Add the view of the limit to the site, and return the cookie of a session for it."""
    from django.contrib.auth import BACKEND_SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore
    from django.db import connection, transaction
    from django.http import HttpRequest, HttpResponse
    from django.urls import path
    from django.views.decorators.csrf import csrf_exempt

    from config import urls

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_row (number integer)")
    session = SessionStore()
    session[BACKEND_SESSION_KEY] = ""
    session.create()

    @csrf_exempt
    def empty(request: HttpRequest) -> HttpResponse:
        request.session.get("number")
        for number in range(2):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("INSERT INTO bench_row VALUES (%s)", [number])
        return HttpResponse("empty")

    urls.urlpatterns.append(path("bench-empty/", empty))
    return f"sessionid={session.session_key}"


def rate(study: Study, meter: Meter, ratings: int) -> None:
    """Rate so many candidates as one rater."""
    import json

    from bench.rating_pages import FetchedPage, join_path, read_task

    cookie = add_empty_view()
    home, _ = meter.ask("join", "GET", join_path(study, 1, 1))
    text = meter.ask("overview", "GET", home)[1]
    if 'id="before"' in text:
        meter.ask("consent", "POST", home)
    meter.ask("first task", "POST", f"{home}task/")
    text = meter.ask("first page", "GET", f"{home}task/")[1]
    for _ in range(ratings):
        task = read_task(FetchedPage(200, "", text))
        assert task is not None
        rating = {"candidate": task.candidates[0], "value": 4, "seconds": 1.0}
        body = json.dumps({"ratings": [rating]})
        meter.ask("save", "POST", task.save_path, body, "application/json")
        address, _ = meter.ask("submit", "POST", task.path, "action=submit&saved=1")
        text = meter.ask("next page", "GET", address)[1]
        address, _ = meter.ask("task asked again", "POST", f"{home}task/")
        text = meter.ask("its page", "GET", address)[1]
        meter.ask(EMPTY, "GET", "/bench-empty/", cookie=cookie)


def show(costs: dict[str, Costs]) -> None:
    table = Table("request", "statements", "web process, ms", "PostgreSQL, ms", "both, ms")
    for name in (*REQUESTS, EMPTY):
        one = costs[name]
        web, database = one.milliseconds("web"), one.milliseconds("database")
        table.add_row(
            name, str(len(one.statements)), f"{web:.2f}", f"{database:.2f}", f"{web + database:.2f}"
        )
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ratings", type=int, default=200)
    parser.add_argument("--candidates", type=int, default=2000)
    parser.add_argument("--statements", action="store_true", help="print them")
    options = parser.parse_args()
    os.environ["RATE_LIMIT_RATING"] = "999999/s"  # requests are counted, and none is refused
    with temporary_site():
        from bench.rating_load import made_up, make_study

        study = make_study(made_up(options.candidates, each=1))
        meter = Meter()
        rate(study, meter, options.ratings + WARM_UP)
        show(meter.costs)
        for name in REQUESTS if options.statements else ():
            print(f"\n{name}:")
            for statement in meter.costs[name].statements:
                print("  " + statement[:300])


if __name__ == "__main__":
    main()
