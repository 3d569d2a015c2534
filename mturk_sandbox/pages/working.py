"""Accepted HITs: working on them in their frames, returning and submitting them."""

from __future__ import annotations

from html import escape

from mturk_sandbox.pages.frame import task_frame
from mturk_sandbox.pages.layout import button, moment, money, page
from mturk_sandbox.pages.sign_in import sign_in_page
from mturk_sandbox.web import Engine, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import (
    PREVIEW,
    WorkError,
    accept,
    active_assignment,
    hit_with_type,
    return_assignment,
    submit_external_form,
)


@route("POST", "/mturk/externalSubmit/?")
def external_submit(engine: Engine, request: WebRequest) -> WebResponse:
    """Submit the form of a task. The assignment's ID identifies the worker; there is no cookie.

    The fields in the URL and the body are stored as free text. A rejected form is not stored.
    """
    fields = [*request.query.items(), *request.fields]
    assignment_id = next((value for name, value in fields if name == "assignmentId"), "").strip()
    if not assignment_id:
        raise WorkError("The form has no assignmentId.", 400)
    if assignment_id == PREVIEW:
        raise WorkError("This was a preview: accept the HIT before you submit it.", 400)
    with engine.transaction() as context:
        submit_external_form(context, assignment_id, fields)
    return redirect("/worker/submitted/")


@route("GET", "/worker/submitted/?")
def submitted(engine: Engine, request: WebRequest) -> WebResponse:
    """The confirmation inside the task's frame, with links that leave it."""
    body = (
        '<p class="note" role="status">Your answers have been submitted.</p>'
        '<p class="row"><a class="button" href="/worker/" target="_top">Find another HIT</a> '
        '<a href="/worker/dashboard/" target="_top">My work</a></p>'
    )
    return page(request, "Submitted", body, bare=True)


@route("POST", r"/worker/hits/([A-Z0-9]+)/accept/?")
def accept_hit(engine: Engine, request: WebRequest, hit_id: str) -> WebResponse:
    """Accept a HIT and show it."""
    if not request.worker:
        return redirect("/worker/")
    with engine.transaction() as context:
        assignment_id = accept(context, request.worker, hit_id)
    return redirect(f"/worker/assignments/{assignment_id}/")


@route("GET", r"/worker/assignments/([A-Z0-9]+)/?")
def work_on(engine: Engine, request: WebRequest, assignment_id: str) -> WebResponse:
    """The task of an accepted assignment, in its frame."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        row = active_assignment(context, assignment_id)
        if row["worker_id"] != request.worker:
            raise WorkError("This is another worker's assignment.", 403)
        hit = hit_with_type(context, row["hit_id"])
        body = f"""<p>{escape(hit["description"])}</p>
<p class="note">{money(row["reward"])}. Submit by {moment(row["deadline"])} UTC.</p>
<div class="row">{button(f"/worker/assignments/{assignment_id}/return/", "Return HIT", quiet=True)}
</div>{task_frame(request, hit, assignment_id)}"""
    return page(request, hit["title"], body, wide=True)


@route("POST", r"/worker/assignments/([A-Z0-9]+)/return/?")
def return_hit(engine: Engine, request: WebRequest, assignment_id: str) -> WebResponse:
    """Return a HIT, which is then not paid."""
    with engine.transaction() as context:
        return_assignment(context, request.worker, assignment_id)
    return redirect("/worker/dashboard/")
