"""A server that speaks the part of Prolific's API that the provider uses, over real HTTP.

Its rules are those of Prolific's documentation: places only grow, a rejection's message has a
hundred characters, bonuses are announced by one call and paid by another, once.
"""

from __future__ import annotations

import itertools
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "prolific-token"
NOW = "2026-11-21T10:00:00Z"


class RefusedError(Exception):
    """A request that is refused: `status`, and the detail in Prolific's envelope."""

    def __init__(self, status: int, detail: object) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail


@dataclass
class State:
    """Everything the server knows; `busy` so many requests are told to wait, `lose` as many
    answers are lost after the deed, `pages_of_a_proxy` as many are no JSON."""

    balance: int = 100_000
    busy: int = 0
    lose: int = 0
    pages_of_a_proxy: int = 0
    calls: int = 0
    studies: dict[str, dict[str, Any]] = field(default_factory=dict)
    submissions: dict[str, dict[str, Any]] = field(default_factory=dict)
    groups: dict[str, dict[str, Any]] = field(default_factory=dict)
    bonuses: dict[str, dict[str, Any]] = field(default_factory=dict)
    ids: Any = field(default_factory=lambda: (f"{n:024x}" for n in itertools.count(1)))

    def arrive(self, study: str, participant: str) -> str:
        """A participant starts the study; the session's id."""
        made = next(self.ids)
        self.submissions[made] = {
            "id": made,
            "study_id": study,
            "participant_id": participant,
            "status": "ACTIVE",
            "started_at": NOW,
            "completed_at": None,
            "study_code": None,
            "bonus_payments": [],
        }
        return made

    def finish(self, session: str, code: str) -> None:
        self.submissions[session] |= {
            "status": "AWAITING REVIEW",
            "completed_at": NOW,
            "study_code": code,
        }


class FakeProlific(ThreadingHTTPServer):
    """`with FakeProlific() as fake: fake.url`."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.state = State()
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/api/v1"

    def __enter__(self) -> FakeProlific:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    server: FakeProlific
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer()

    do_POST = do_PATCH = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        content = json.loads(self.rfile.read(length) or "null")
        parts = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        state = self.server.state
        with self.server.lock:
            state.calls += 1
            try:
                if self.headers.get("Authorization") != f"Token {TOKEN}":
                    raise RefusedError(401, "Authentication credentials are incorrect.")
                if state.busy:
                    state.busy -= 1
                    raise RefusedError(429, "Too many requests")
                status, document = 200, route(state, self.command, parts.path, content, query)
            except RefusedError as error:
                status, document = error.status, {"error": {"detail": error.detail}}
            if status == 200 and self.command != "GET" and state.lose:
                state.lose -= 1
                self.close_connection = True
                return
        body = json.dumps(document).encode()
        if state.pages_of_a_proxy:
            state.pages_of_a_proxy -= 1
            status, body = 200, b"<p>Please wait</p>"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def route(state: State, method: str, path: str, content: Any, query: dict[str, str]) -> Any:
    path = path.removeprefix("/api/v1/")
    for (verb, pattern), act in ROUTES.items():
        match = re.fullmatch(pattern, path)
        if match and verb == method:
            return act(state, content, query, *match.groups())
    raise RefusedError(404, "Not found.")


def me(state: State, content: Any, query: dict[str, str]) -> Any:
    return {"id": "me", "available_balance": state.balance}


def listed(rows: Any, query: dict[str, str]) -> Any:
    size, page = int(query.get("page_size", 20)), int(query.get("page", 1))
    return {"results": list(rows)[size * (page - 1) : size * page]}


def create_study(state: State, content: Any, query: dict[str, str]) -> Any:
    for name in ("name", "description", "external_study_url", "completion_codes", "reward"):
        if not content.get(name):
            raise RefusedError(400, {name: ["This field is required."]})
    made = next(state.ids)
    state.studies[made] = {**content, "id": made, "status": "UNPUBLISHED"}
    return state.studies[made]


def list_studies(state: State, content: Any, query: dict[str, str]) -> Any:
    return listed(state.studies.values(), query)


def one_study(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    if key not in state.studies:
        raise RefusedError(404, "Not found.")
    return state.studies[key]


def change_study(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    study = one_study(state, None, query, key)
    if content["total_available_places"] < study["total_available_places"]:
        raise RefusedError(400, {"total_available_places": ["Places can only be increased."]})
    study |= content
    return study


def move_study(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    study = one_study(state, None, query, key)
    moves = {("PUBLISH", "UNPUBLISHED"): "ACTIVE", ("STOP", "ACTIVE"): "AWAITING REVIEW"}
    moved = moves.get((content["action"], study["status"]))
    if moved is None:
        raise RefusedError(400, f"A study in {study['status']} cannot {content['action']}.")
    study["status"] = moved
    return study


def list_submissions(state: State, content: Any, query: dict[str, str]) -> Any:
    rows = (one for one in state.submissions.values() if one["study_id"] == query["study"])
    return listed(rows, query)


def one_submission(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    if key not in state.submissions:
        raise RefusedError(404, "Not found.")
    row = dict(state.submissions[key])
    return row | {"participant": row.pop("participant_id")}


def move_submission(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    row = state.submissions[key]
    if row["status"] != "AWAITING REVIEW":
        raise RefusedError(400, f"A submission in {row['status']} cannot be reviewed.")
    if content["action"] == "REJECT":
        if len(content.get("message", "")) < 100:
            raise RefusedError(400, {"message": ["At least 100 characters."]})
        if not content.get("rejection_category"):
            raise RefusedError(400, {"rejection_category": ["This field is required."]})
    row["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[content["action"]]
    return row


def announce_bonus(state: State, content: Any, query: dict[str, str]) -> Any:
    made = next(state.ids)
    lines = [line.split(",") for line in content["csv_bonuses"].splitlines()]
    state.bonuses[made] = {"lines": lines, "paid": False}
    return {"id": made, "study": content["study_id"]}


def pay_bonus(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    bonus = state.bonuses[key]
    if bonus["paid"]:
        raise RefusedError(400, "This bonus payment has already been paid.")
    bonus["paid"] = True
    for submission, amount in bonus["lines"]:
        state.submissions[submission]["bonus_payments"].append(round(float(amount) * 100))
    return {}


def make_group(state: State, content: Any, query: dict[str, str]) -> Any:
    made = next(state.ids)
    state.groups[made] = {"id": made, "name": content["name"], "participants": []}
    return state.groups[made]


def list_groups(state: State, content: Any, query: dict[str, str]) -> Any:
    return listed(state.groups.values(), query)


def put_in_group(state: State, content: Any, query: dict[str, str], key: str) -> Any:
    members = state.groups[key]["participants"]
    members += [one for one in content["participant_ids"] if one not in members]
    return {}


ROUTES: dict[tuple[str, str], Any] = {
    ("GET", r"users/me/"): me,
    ("POST", r"studies/"): create_study,
    ("GET", r"studies/"): list_studies,
    ("GET", r"studies/(\w+)/"): one_study,
    ("PATCH", r"studies/(\w+)/"): change_study,
    ("POST", r"studies/(\w+)/transition/"): move_study,
    ("GET", r"submissions/"): list_submissions,
    ("GET", r"submissions/(\w+)/"): one_submission,
    ("POST", r"submissions/(\w+)/transition/"): move_submission,
    ("POST", r"submissions/bonus-payments/"): announce_bonus,
    ("POST", r"bulk-bonus-payments/(\w+)/pay/"): pay_bonus,
    ("POST", r"participant-groups/"): make_group,
    ("GET", r"participant-groups/"): list_groups,
    ("POST", r"participant-groups/(\w+)/participants/"): put_in_group,
}
