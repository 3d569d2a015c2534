"""The list of HIT groups, and the preview of a HIT."""

from __future__ import annotations

import json
import sqlite3
from html import escape
from urllib.parse import quote

from mturk_sandbox.context import Context
from mturk_sandbox.pages.frame import task_frame
from mturk_sandbox.pages.layout import button, money, page, span
from mturk_sandbox.pages.sign_in import sign_in_page
from mturk_sandbox.requirements import Requirement, unmet_requirements
from mturk_sandbox.web import Engine, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import (
    PREVIEW,
    Group,
    WorkError,
    ensure_worker,
    find_groups,
    hit_with_type,
    may_preview,
    next_hit,
)

SIGNS = {
    "LessThan": "below",
    "LessThanOrEqualTo": "at most",
    "GreaterThan": "above",
    "GreaterThanOrEqualTo": "at least",
    "EqualTo": "is",
    "NotEqualTo": "is not",
    "Exists": "has been granted",
    "DoesNotExist": "has not been granted",
    "In": "is one of",
    "NotIn": "is none of",
}


@route("GET", "/")
def home(engine: Engine, request: WebRequest) -> WebResponse:
    return redirect("/worker/")


@route("GET", "/worker/?")
def listing(engine: Engine, request: WebRequest) -> WebResponse:
    """The HIT groups that are available to the worker."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        ensure_worker(context, request.worker)
        found_groups = find_groups(context, request.worker)
        running = context.number(
            "SELECT COUNT(*) FROM assignments WHERE worker_id = ? AND status = 'Accepted'",
            request.worker,
        )
        cards = "".join(_card(context, group) for group in found_groups)
    accepted_note = (
        f'<p class="note"><a href="/worker/dashboard/">You have accepted {running} '
        f"HIT{'s' if running > 1 else ''} that you have not submitted yet.</a></p>"
        if running
        else ""
    )
    body = (
        f'<ul class="cards">{cards}</ul>'
        if found_groups
        else "<p>No HITs are available to you.</p>"
    )
    return page(request, "Find HITs", accepted_note + body)


def _card(context: Context, group: Group) -> str:
    hit_type = group.kind
    address = f"/worker/groups/{quote(hit_type['group_id'])}/"
    requirements = json.loads(hit_type["requirements"])
    missing = [requirement["QualificationTypeId"] for requirement in group.missing]
    requirements_html = requirement_list(context, requirements, missing)
    preview = (
        f'<a class="button" href="{address}">Preview</a>'
        if group.may_preview
        else '<p class="help">The preview requires the qualifications, too.</p>'
    )
    return f"""<li class="card"><h2>{escape(hit_type["title"])}</h2>
<dl class="facts"><div><dt>Reward</dt><dd>{money(hit_type["reward"])}</dd></div>
<div><dt>HITs</dt><dd>{group.available}</dd></div>
<div><dt>Time</dt><dd>{span(hit_type["duration"])}</dd></div>
<div><dt>Requester</dt><dd class="id">{escape(group.requester)}</dd></div></dl>
<p>{escape(hit_type["description"])}</p>{requirements_html}{preview}</li>"""


def requirement_list(context: Context, requirements: list[Requirement], missing: list[str]) -> str:
    """A HIT's required qualifications, with a link to each missing one."""
    if not requirements:
        return ""
    items = []
    for requirement in requirements:
        type_id = requirement["QualificationTypeId"]
        row = context.one("SELECT * FROM qualification_types WHERE id = ?", type_id)
        name = type_id if row is None else row["name"]
        sign = SIGNS[requirement["Comparator"]]
        text = f"{escape(name)} {sign} {escape(_values(requirement))}".strip()
        if type_id not in missing:
            items.append(f'<li class="met">{text} <span class="mark">you qualify</span></li>')
            continue
        link = ""
        if row is not None and row["account"]:
            link = f' <a href="/worker/qualifications/{quote(type_id)}/">Request qualification</a>'
        items.append(f'<li class="unmet">{text} <span class="mark">you do not</span>{link}</li>')
    return f'<h3>Required qualifications</h3><ul class="asked">{"".join(items)}</ul>'


def _values(requirement: Requirement) -> str:
    locales = [
        "-".join(filter(None, (locale["Country"], locale.get("Subdivision"))))
        for locale in requirement.get("LocaleValues") or []
    ]
    return ", ".join([*map(str, requirement.get("IntegerValues") or []), *locales])


@route("GET", "/mturk/preview/?")
def preview_by_query(engine: Engine, request: WebRequest) -> WebResponse:
    """The address that scripts print for their HITs; groupId is the ID of a HIT type or group."""
    return redirect(f"/worker/groups/{quote(request.query.get('groupId', ''), safe='')}/")


@route("GET", r"/worker/groups/([A-Z0-9]+)/?")
def preview_group(engine: Engine, request: WebRequest, group_id: str) -> WebResponse:
    """The preview of the next HIT of a group; it has no assignment and cannot be submitted."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        hit = next_hit(context, request.worker, group_id)
        if hit is None:
            raise WorkError("There is no HIT left in this group for you.", 404)
        return _preview(context, request, hit_with_type(context, hit["id"]))


@route("GET", r"/worker/hits/([A-Z0-9]+)/?")
def preview_hit(engine: Engine, request: WebRequest, hit_id: str) -> WebResponse:
    """The preview of a HIT."""
    if not request.worker:
        return sign_in_page(engine, request)
    with engine.transaction() as context:
        return _preview(context, request, hit_with_type(context, hit_id))


def _preview(context: Context, request: WebRequest, hit: sqlite3.Row) -> WebResponse:
    if not may_preview(context, request.worker, hit):
        raise WorkError("You do not have the qualifications to preview this HIT.", 403)
    requirements = json.loads(hit["requirements"])
    missing = [
        requirement["QualificationTypeId"]
        for requirement in unmet_requirements(context, request.worker, requirements)
    ]
    can_accept = hit["status"] == "Assignable" and not missing
    accept = (
        button(f"/worker/hits/{hit['id']}/accept/", "Accept HIT")
        if can_accept
        else '<p class="help">You cannot accept this HIT.</p>'
    )
    body = f"""<p>{escape(hit["description"])}</p>
<p class="note">This is a preview: accept the HIT before you work on it. {money(hit["reward"])},
{span(hit["duration"])} at most.</p>
{requirement_list(context, requirements, missing)}
<div class="row">{accept}<a href="/worker/">Back to the list</a></div>
{task_frame(request, hit, PREVIEW)}"""
    return page(request, hit["title"], body, wide=True)
