"""Signing in as any worker, without a password, and the worker's profile."""

from __future__ import annotations

from html import escape

from mturk_sandbox.context import new_id
from mturk_sandbox.pages.layout import page
from mturk_sandbox.web import Engine, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import WorkError, ensure_worker

COOKIE = "sandbox_worker={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}"


def sign_in_page(engine: Engine, request: WebRequest, problem: str = "") -> WebResponse:
    """The sign-in form with the existing workers."""
    with engine.transaction() as context:
        workers = context.all("SELECT id FROM workers ORDER BY created, id LIMIT 200")
    options = "".join(f'<option value="{escape(row["id"])}">' for row in workers)
    error = f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else ""
    body = f"""{error}
<p>Work as any worker: choose an existing ID, type a new one, or leave the field empty for a random
one.</p> <form method="post" action="/worker/login/" class="stack"> <label for="workerId">Worker
ID</label> <input id="workerId" name="workerId" list="known" maxlength="64" autocomplete="off"
 autocapitalize="characters" pattern="[aA][a-zA-Z0-9]*" aria-describedby="workerId-help">
<p class="help" id="workerId-help">An A and then letters and digits, such as A1WORKER.</p>
<datalist id="known">{options}</datalist>
<button>Start working</button>
</form>"""
    return page(request, "Sign in as a worker", body, status=400 if problem else 200)


@route("POST", "/worker/login/?")
def login(engine: Engine, request: WebRequest) -> WebResponse:
    """Sign in, and create the worker if necessary."""
    worker = request.field("workerId").upper() or new_id("A", 14)
    try:
        with engine.transaction() as context:
            ensure_worker(context, worker)
    except WorkError as error:
        return sign_in_page(engine, request, str(error))
    cookie = ("Set-Cookie", COOKIE.format(worker, 365 * 86_400))
    return redirect("/worker/", cookie)


@route("POST", "/worker/logout/?")
def logout(engine: Engine, request: WebRequest) -> WebResponse:
    return redirect("/worker/", ("Set-Cookie", COOKIE.format("", 0)))


@route("GET", "/worker/profile/?")
def profile(engine: Engine, request: WebRequest) -> WebResponse:
    """The profile from which MTurk's own qualifications are computed."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        worker = ensure_worker(context, request.worker)
    fields = ""
    for name, label, attributes in (
        ("country", "Country, two letters", 'maxlength="2" pattern="[A-Za-z]{2}" required'),
        ("subdivision", "State or region, two letters", 'maxlength="2" pattern="[A-Za-z]{2}"'),
        ("approved_before", "Assignments approved elsewhere before", 'type="number" min="0"'),
        ("rejected_before", "Assignments rejected elsewhere before", 'type="number" min="0"'),
    ):
        value = escape(str(worker[name]))
        fields += (
            f'<label for="{name}">{label}</label>'
            f'<input id="{name}" name="{name}" value="{value}" {attributes}>'
        )
    checked = " checked" if worker["masters"] else ""
    fields += (
        f'<label class="check"><input type="checkbox" name="masters" value="1"{checked}> '
        "Has Masters</label>"
    )
    saved = '<p class="note" role="status">Saved.</p>' if "saved" in request.query else ""
    body = f"""{saved}<p>MTurk knows a worker's location and approval history; in the sandbox
you enter them.</p>
<form method="post" action="/worker/profile/" class="stack">{fields}<button>Save</button></form>"""
    return page(request, "Profile", body)


@route("POST", "/worker/profile/?")
def save_profile(engine: Engine, request: WebRequest) -> WebResponse:
    """Change the profile. Raises a WorkError for an invalid country or number."""
    locale = [request.field(name).upper() for name in ("country", "subdivision")]
    if len(locale[0]) != 2 or len(locale[1]) not in (0, 2):
        raise WorkError("A country has two letters, a region two or none.", 400)
    counts = [request.field(name) or "0" for name in ("approved_before", "rejected_before")]
    if not all(count.isdecimal() and len(count) < 10 for count in counts):
        raise WorkError("Numbers of assignments are whole and not negative.", 400)
    with engine.transaction() as context:
        ensure_worker(context, request.worker)
        context.run(
            "UPDATE workers SET country = ?, subdivision = ?, approved_before = ?,"
            " rejected_before = ?, masters = ? WHERE id = ?",
            *locale,
            *map(int, counts),
            request.field("masters") == "1",
            request.worker,
        )
    return redirect("/worker/profile/?saved")
