"""Potato, as its own container serves it: gunicorn with one process, because it holds its state in
one process, and eight threads."""

from __future__ import annotations

import json
import re
import signal
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers.client import Client, UnansweredError
from bench.peers.processes import WebServer, core_seconds, installed
from bench.peers.site import QUESTION, RATINGS_EACH, SCALE, Rater, shown

if TYPE_CHECKING:
    from annotation.studies.intake import Item

PACKAGE = "potato-annotation==2.12.1"
SCHEMA = "closeness"


class Potato:
    title = PACKAGE
    served_by = "gunicorn, 1 process of 8 threads, as its container; files"

    def __init__(self, folder: Path, cache: Path) -> None:
        self._folder = folder / "potato"
        self._output = self._folder / "annotations"
        program = installed(cache, "potato", PACKAGE, "gunicorn") / "gunicorn"
        app = f"potato.flask_server:create_app('{self._folder / 'config.yaml'}')"
        command = [str(program), "--workers", "1", "--threads", "8", "--log-level", "warning", app]
        self._web = WebServer(command, self._folder, folder / "potato.log")
        self._web.command += ["--bind", f"127.0.0.1:{self._web.port}"]

    def prepare(self, candidates: list[Item]) -> None:
        self._folder.mkdir()
        rows = [{"id": one.key, "text": shown(one)} for one in candidates]
        (self._folder / "items.json").write_text(json.dumps(rows))
        likert = {
            "annotation_type": "likert",
            "name": SCHEMA,
            "description": QUESTION,
            "min_label": "different",
            "max_label": "the same",
            "size": len(SCALE),
        }
        config = {
            "annotation_task_name": "Bench",
            "task_dir": str(self._folder),
            "output_annotation_dir": str(self._output),
            "data_files": ["items.json"],
            "item_properties": {"id_key": "id", "text_key": "text"},
            "annotation_schemes": [likert],
            "login": {"type": "url_direct", "url_argument": "PROLIFIC_PID"},
            "user_config": {"allow_all_users": True, "users": []},
            "num_annotators_per_item": RATINGS_EACH,
            "max_annotations_per_user": -1,
            "secret_key": "of a measurement",
            "persist_sessions": True,
        }
        # JSON is YAML.
        (self._folder / "config.yaml").write_text(json.dumps(config))

    def start(self) -> None:
        self._web.start("/health")

    def kill(self) -> None:
        self._web.end(signal.SIGKILL)

    def stop(self) -> None:
        self._web.end(signal.SIGTERM)

    def core_seconds(self) -> float:
        return core_seconds(self._web.pid)

    def raters(self, count: int) -> list[Rater]:
        return [_Rater(Client(self._web.port), f"rater{number}") for number in range(count)]

    def stored(self) -> Counter[tuple[str, str, int]]:
        matches: Counter[tuple[str, str, int]] = Counter()
        for path in self._output.glob("*/user_state.json"):
            state = json.loads(path.read_text())
            for candidate, labels in state["instance_id_to_label_to_value"].items():
                matches.update((state["user_id"], candidate, int(value)) for _, value in labels)
        return matches


class _Rater:
    def __init__(self, client: Client, name: str) -> None:
        self.name = name
        self._client = client
        self._saved = False

    def enter(self) -> None:
        self._client.get(f"/?PROLIFIC_PID={self.name}")

    def take(self) -> str | None:
        """As the page's button: ask to go on, then load the page."""
        if self._saved:
            self._client.post_json(
                "/annotate", {"action": "next_instance"}, X_Potato_Navigation="1"
            )
            self._saved = False
        matches = re.search(r'id="instance_id"[^>]*value="([^"]+)"', self._client.get("/annotate"))
        return matches[1] if matches else None

    def save(self, candidate: str, value: int) -> None:
        answer = self._client.post_json(
            "/updateinstance",
            {
                "instance_id": candidate,
                "annotations": {f"{SCHEMA}:{value}": str(value)},
                "span_annotations": [],
                "response_time_seconds": 1.0,
            },
        )
        if json.loads(answer)["status"] == "error":
            raise UnansweredError(answer)
        self._saved = True
