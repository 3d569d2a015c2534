"""Label Studio with PostgreSQL, as its compose file has it, and as many processes as its uWSGI
settings start; gunicorn stands for uWSGI."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers.client import Client, RefusedError
from bench.peers.postgres import USER, Postgres
from bench.peers.processes import WebServer, core_seconds, installed
from bench.peers.site import QUESTION, RATINGS_EACH, SCALE, Rater, shown

if TYPE_CHECKING:
    from annotation.studies.intake import Item

PACKAGE = "label-studio==1.23.2"
DATABASE = "label_studio"
NAME = "closeness"
PASSWORD = "of a measurement"
MISSING = 404


class LabelStudio:
    title = PACKAGE
    served_by = "gunicorn, 4 processes of 4 threads; PostgreSQL of the distribution"

    def __init__(self, folder: Path, cache: Path, postgres: Path) -> None:
        self._postgres = Postgres(postgres, folder / "label-studio-postgres")
        programs = installed(cache, "label-studio", PACKAGE, "gunicorn")
        self._python = programs / "python"
        (package,) = programs.parent.glob("lib/python3*/site-packages/label_studio")
        data = folder / "label-studio"
        data.mkdir()
        environment = {
            "DJANGO_SETTINGS_MODULE": "core.settings.label_studio",
            "DJANGO_DB": "default",
            "POSTGRE_HOST": str(self._postgres.folder),
            "POSTGRE_USER": USER,
            "POSTGRE_NAME": DATABASE,
            "LABEL_STUDIO_BASE_DATA_DIR": str(data),
            "DEBUG": "false",
            "LOG_LEVEL": "WARNING",
            "COLLECT_ANALYTICS": "false",
            "LATEST_VERSION_CHECK": "false",
            "SENTRY_DSN": "",
            "FRONTEND_SENTRY_DSN": "",
        }
        command = [str(programs / "gunicorn"), "core.wsgi", "--preload", "--workers", "4"]
        log = folder / "label-studio.log"
        self._web = WebServer(command, package, log, environment=environment)
        self._web.command += [
            "--bind",
            f"127.0.0.1:{self._web.port}",
            "--threads",
            "4",
            "--timeout",
            "120",
        ]
        self._project = 0

    def prepare(self, candidates: list[Item]) -> None:
        self._postgres.start()
        with self._postgres.connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")
        self._web.run([str(self._python), "manage.py", "migrate"])
        self._web.start("/health")
        owner = _signed_up(self._web.port, "owner")
        choices = "".join(f'<Choice value="{point}"/>' for point in SCALE)
        task = (
            f'<View><Text name="text" value="$text"/><Header value="{QUESTION}"/>'
            f'<Choices name="{NAME}" toName="text" choice="single-radio">{choices}</Choices></View>'
        )
        project = {"title": "Bench", "label_config": task, "maximum_annotations": RATINGS_EACH}
        self._project = json.loads(_post(owner, "/api/projects/", project))["id"]
        rows = [{"text": shown(one)} for one in candidates]
        for start in range(0, len(rows), 1000):
            _post(owner, f"/api/projects/{self._project}/import", rows[start : start + 1000])
        self._web.end(signal.SIGTERM)
        self._postgres.kill()

    def start(self) -> None:
        self._postgres.start()
        self._web.start("/health")

    def kill(self) -> None:
        self._web.end(signal.SIGKILL)
        self._postgres.kill()

    def stop(self) -> None:
        self._web.end(signal.SIGTERM)
        self._postgres.kill()

    def core_seconds(self) -> float:
        return core_seconds(self._web.pid) + core_seconds(self._postgres.pid)

    def raters(self, count: int) -> list[Rater]:
        return [_Rater(self._web.port, f"rater{number}", self._project) for number in range(count)]

    def stored(self) -> Counter[tuple[str, str, int]]:
        with self._postgres.connect(DATABASE) as connection:
            rows = connection.execute(
                "SELECT u.email, c.task_id, c.result FROM task_completion c"
                " JOIN htx_user u ON u.id = c.completed_by_id WHERE NOT c.was_cancelled"
            )
            return Counter(
                (email.split("@")[0], str(task), int(result[0]["value"]["choices"][0]))
                for email, task, result in rows
            )


class _Rater:
    def __init__(self, port: int, name: str, project: int) -> None:
        self.name = name
        self._port, self._project = port, project
        self._client = Client(port)

    def enter(self) -> None:
        self._client = _signed_up(self._port, self.name)

    def take(self) -> str | None:
        try:
            task = json.loads(self._client.get(f"/api/projects/{self._project}/next"))
        except RefusedError as error:
            if error.status == MISSING:
                return None
            raise
        return str(task["id"])

    def save(self, candidate: str, value: int) -> None:
        choice = {
            "from_name": NAME,
            "to_name": "text",
            "type": "choices",
            "value": {"choices": [str(value)]},
        }
        path = f"/api/tasks/{candidate}/annotations?project={self._project}"
        _post(self._client, path, {"result": [choice], "lead_time": 1.0})


def _signed_up(port: int, name: str) -> Client:
    """A client with an account of its own, signed in by the sign-up page."""
    client = Client(port)
    client.get("/user/signup/")
    account = {"email": f"{name}@example.org", "password": PASSWORD}
    token = client.cookies["csrftoken"]
    client.post_form("/user/signup/", {**account, "csrfmiddlewaretoken": token})
    if "sessionid" not in client.cookies:
        raise RuntimeError(f"{name} could not sign up")
    return client


def _post(client: Client, path: str, content: object) -> str:
    return client.post_json(path, content, X_CSRFToken=client.cookies["csrftoken"])
