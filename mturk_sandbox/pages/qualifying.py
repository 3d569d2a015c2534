"""A worker's qualifications, and the tests of others."""

from __future__ import annotations

from html import escape

from mturk_sandbox.pages.layout import button, moment, page, span, table
from mturk_sandbox.pages.sign_in import sign_in_page
from mturk_sandbox.qualification_tests import (
    QualificationStatus,
    qualification_status,
    start_test,
    submit_test,
)
from mturk_sandbox.questions import form_of_test, read_test
from mturk_sandbox.web import Engine, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import ensure_worker


@route("GET", "/worker/qualifications/?")
def listing(engine: Engine, request: WebRequest) -> WebResponse:
    """The worker's qualifications, and those that can be requested."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        granted = context.all(
            "SELECT q.*, t.name FROM qualifications q JOIN qualification_types t"
            " ON t.id = q.type_id WHERE q.worker_id = ? ORDER BY q.granted DESC",
            request.worker,
        )
        open_types = context.all(
            "SELECT * FROM qualification_types WHERE test IS NOT NULL AND status = 'Active'"
            " ORDER BY seq DESC LIMIT 200"
        )
    granted_table = table(
        "Your qualifications",
        ("Qualification", "Value", "Since (UTC)"),
        ((escape(row["name"]), row["value"], moment(row["granted"])) for row in granted),
        "You have none yet.",
    )
    available_table = table(
        "Available qualifications",
        ("Qualification", "Description"),
        (
            (
                f'<a href="/worker/qualifications/{row["id"]}/">{escape(row["name"])}</a>',
                escape(row["description"]),
            )
            for row in open_types
        ),
        "None are available.",
    )
    return page(request, "Qualifications", granted_table + available_table)


@route("GET", r"/worker/qualifications/([A-Z0-9]+)/?")
def qualification(engine: Engine, request: WebRequest, type_id: str) -> WebResponse:
    """One type: the worker's value, and the running test."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        ensure_worker(context, request.worker)
        status = qualification_status(context, request.worker, type_id)
    body = f"<p>{escape(status.kind['description'])}</p>"
    if status.value is not None:
        body += f'<p class="note" role="status">Granted with the value {status.value}.</p>'
    if status.running is not None:
        body += _test(status)
    elif status.obstacle:
        body += f'<p class="help">{escape(status.obstacle)}</p>'
    else:
        body += _offer(status)
    return page(request, status.kind["name"], body)


def _test(status: QualificationStatus) -> str:
    assert status.running is not None
    fields = form_of_test(read_test(status.running["test"])[0])
    address = f"/worker/qualifications/{status.kind['id']}/answers/"
    return f"""<p class="note">Submit the test by {moment(status.running["deadline"])} UTC.</p>
<form method="post" action="{address}" class="stack">{fields}
<button>Submit the test</button></form>"""


def _offer(status: QualificationStatus) -> str:
    kind = status.kind
    address = f"/worker/qualifications/{kind['id']}/request/"
    once = kind["retry_delay"] is None
    again = "once only" if once else f"again after {span(kind['retry_delay'])}"
    return (
        f"<p>There is a test of {span(kind['test_duration'])}; it can be taken {again}. The time "
        f"runs from when you start.</p>{button(address, 'Start the test')}"
    )


@route("POST", r"/worker/qualifications/([A-Z0-9]+)/request/?")
def request_qualification(engine: Engine, request: WebRequest, type_id: str) -> WebResponse:
    """Start a qualification's test."""
    if not request.worker:
        return redirect("/worker/")
    with engine.transaction() as context:
        ensure_worker(context, request.worker)
        start_test(context, request.worker, type_id)
    return redirect(f"/worker/qualifications/{type_id}/")


@route("POST", r"/worker/qualifications/([A-Z0-9]+)/answers/?")
def answer_test(engine: Engine, request: WebRequest, type_id: str) -> WebResponse:
    """Submit the test, which is scored by its key."""
    with engine.transaction() as context:
        status = qualification_status(context, request.worker, type_id)
        submit_test(context, status, request.fields)
    return redirect(f"/worker/qualifications/{type_id}/")
