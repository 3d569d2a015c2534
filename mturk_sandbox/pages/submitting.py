"""/mturk/externalSubmit, to which the forms of tasks are posted from other sites."""

from __future__ import annotations

from mturk_sandbox.pages.layout import page
from mturk_sandbox.web import Engine, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import PREVIEW, WorkError, submit_external_form


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
