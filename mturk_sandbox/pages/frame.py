"""A HIT's task inside a page: a frame for the requester's page."""

from __future__ import annotations

import sqlite3
from html import escape
from urllib.parse import urlencode, urlsplit

from mturk_sandbox.questions import read_question
from mturk_sandbox.web import WebRequest
from mturk_sandbox.work import PREVIEW

# A requester's page keeps its origin, which differs from the sandbox's.
PERMISSIONS = (
    "allow-forms allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals"
    " allow-downloads allow-top-navigation-by-user-activation allow-same-origin"
)
DEFAULT_HEIGHT = 700


def task_frame(request: WebRequest, hit: sqlite3.Row, assignment_id: str) -> str:
    """The HTML of the frame. MTurk appends these parameters to a task's URL; a preview has no
    worker. turkSubmitTo is a host: forms are posted to it with /mturk/externalSubmit."""
    question = read_question(hit["question"], local_http=True)
    values = {"assignmentId": assignment_id, "hitId": hit["id"], "turkSubmitTo": request.url}
    if assignment_id != PREVIEW:
        values["workerId"] = request.worker
    separator = "&" if urlsplit(question.url).query else "?"
    base, _, fragment = question.url.partition("#")
    address = f"{base}{separator}{urlencode(values)}" + (f"#{fragment}" if fragment else "")
    return (
        f'<iframe src="{escape(address)}" title="The task: {escape(hit["title"])}"'
        f' sandbox="{PERMISSIONS}" height="{question.height or DEFAULT_HEIGHT}" width="100%">'
        "</iframe>"
    )
