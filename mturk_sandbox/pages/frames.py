"""A HIT's task inside a page: a frame for the requester's page, or a form for a QuestionForm."""

from __future__ import annotations

import sqlite3
from html import escape
from urllib.parse import urlencode, urlsplit

from mturk_sandbox.context import Context
from mturk_sandbox.forms import form_fields
from mturk_sandbox.questions import HitQuestion, read_question
from mturk_sandbox.web import Engine, WebRequest, WebResponse, route
from mturk_sandbox.work import PREVIEW, hit_with_type

# A requester's page keeps its origin, which differs from the sandbox's. The HTML of an HTMLQuestion
# is served by the sandbox, so it gets an opaque origin, which cannot access the worker's pages.
SANDBOX_PERMISSIONS = (
    "allow-forms allow-scripts allow-popups allow-popups-to-escape-sandbox allow-modals"
    " allow-downloads allow-top-navigation-by-user-activation"
)
DEFAULT_HEIGHT = 700


def hit_question(context: Context, hit: sqlite3.Row) -> HitQuestion:
    """The question of a HIT, which was checked when it was created."""
    return read_question(hit["question"], local_http=True)


def parameters(request: WebRequest, hit: sqlite3.Row, assignment_id: str) -> dict[str, str]:
    """The parameters that MTurk appends to a task's URL; a preview has no worker.

    turkSubmitTo is a host: forms are posted to it with /mturk/externalSubmit.
    """
    values = {"assignmentId": assignment_id, "hitId": hit["id"], "turkSubmitTo": request.url}
    return values if assignment_id == PREVIEW else {**values, "workerId": request.worker}


def render_task(context: Context, request: WebRequest, hit: sqlite3.Row, assignment_id: str) -> str:
    """The HTML of the task; in a preview the form's fields are disabled."""
    question = hit_question(context, hit)
    preview = assignment_id == PREVIEW
    if question.kind == "QuestionForm":
        fields = form_fields(question.root)
        if preview:
            return f'<fieldset disabled class="plain">{fields}</fieldset>'
        action = f"/worker/assignments/{assignment_id}/answers/"
        return (
            f'<form method="post" action="{action}" class="stack">{fields}'
            "<button>Submit</button></form>"
        )
    query = urlencode(parameters(request, hit, assignment_id))
    if question.kind == "ExternalQuestion":
        separator = "&" if urlsplit(question.url).query else "?"
        base, _, fragment = question.url.partition("#")
        address = f"{base}{separator}{query}" + (f"#{fragment}" if fragment else "")
        permissions = f"{SANDBOX_PERMISSIONS} allow-same-origin"
    else:
        address, permissions = f"/worker/frame/{hit['id']}/?{query}", SANDBOX_PERMISSIONS
    height = question.height or DEFAULT_HEIGHT
    return (
        f'<iframe src="{escape(address)}" title="The task: {escape(hit["title"])}"'
        f' sandbox="{permissions}" height="{height}" width="100%"></iframe>'
    )


@route("GET", r"/worker/frame/([A-Z0-9]+)/?")
def html_question(engine: Engine, request: WebRequest, hit_id: str) -> WebResponse:
    """The unchanged page of an HTMLQuestion; its form is posted to /mturk/externalSubmit."""
    with engine.transaction() as context:
        question = hit_question(context, hit_with_type(context, hit_id))
    # The policy of the worker's pages would stop the requester's scripts; this one keeps the page
    # apart from them even when it is opened outside its frame.
    return WebResponse(
        200, question.html, headers=[("Content-Security-Policy", f"sandbox {SANDBOX_PERMISSIONS}")]
    )
