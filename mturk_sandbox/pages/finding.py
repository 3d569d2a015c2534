"""The list of HIT groups, and the preview of a HIT."""

from __future__ import annotations

import json
import sqlite3
from html import escape
from urllib.parse import quote

from mturk_sandbox.pages.frames import task
from mturk_sandbox.pages.layout import button, money, page, span
from mturk_sandbox.pages.sign_in import sign_in_page
from mturk_sandbox.requirements import Requirement, unmet
from mturk_sandbox.web import Books, WebRequest, WebResponse, redirect, route
from mturk_sandbox.work import (
    PREVIEW,
    Group,
    WorkError,
    ensure_worker,
    groups,
    hit_of,
    may_preview,
    next_hit,
)
from mturk_sandbox.world import World

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
def home(books: Books, request: WebRequest) -> WebResponse:
    return redirect("/worker/")


@route("GET", "/worker/?")
def listing(books: Books, request: WebRequest) -> WebResponse:
    """HIT groups that the worker can find."""
    if not request.worker:
        return sign_in_page(books, request)
    with books.moment() as world:
        ensure_worker(world, request.worker)
        found = groups(world, request.worker)
        running = world.number(
            "SELECT COUNT(*) FROM assignments WHERE worker_id = ? AND status = 'Accepted'",
            request.worker,
        )
        cards = "".join(_card(world, group) for group in found)
    held = (
        f'<p class="note"><a href="/worker/dashboard/">You have accepted {running} '
        f"HIT{'s' if running > 1 else ''} that you have not submitted yet.</a></p>"
        if running
        else ""
    )
    body = f'<ul class="cards">{cards}</ul>' if found else "<p>No HITs are available to you.</p>"
    return page(request, "Find HITs", held + body)


def _card(world: World, group: Group) -> str:
    kind = group.kind
    address = f"/worker/groups/{quote(kind['group_id'])}/"
    asked = json.loads(kind["requirements"])
    missing = [one["QualificationTypeId"] for one in group.missing]
    wanted = requirement_list(world, asked, missing)
    preview = (
        f'<a class="button" href="{address}">Preview</a>'
        if group.may_preview
        else '<p class="help">The preview needs the qualifications as well.</p>'
    )
    return f"""<li class="card"><h2>{escape(kind["title"])}</h2>
<dl class="facts"><div><dt>Reward</dt><dd>{money(kind["reward"])}</dd></div>
<div><dt>HITs</dt><dd>{group.available}</dd></div>
<div><dt>Time</dt><dd>{span(kind["duration"])}</dd></div>
<div><dt>Requester</dt><dd class="id">{escape(group.requester)}</dd></div></dl>
<p>{escape(kind["description"])}</p>{wanted}{preview}</li>"""


def requirement_list(world: World, requirements: list[Requirement], missing: list[str]) -> str:
    """What a HIT asks for in words, with a link to each qualification that is missing."""
    if not requirements:
        return ""
    items = []
    for one in requirements:
        type_id = one["QualificationTypeId"]
        row = world.one("SELECT * FROM qualification_types WHERE id = ?", type_id)
        name = type_id if row is None else row["name"]
        text = f"{escape(name)} {SIGNS[one['Comparator']]} {escape(_values(one))}".strip()
        if type_id not in missing:
            items.append(f'<li class="met">{text} <span class="mark">you qualify</span></li>')
            continue
        link = ""
        if row is not None and row["account"] and not row["deleted"]:
            link = f' <a href="/worker/qualifications/{quote(type_id)}/">Request qualification</a>'
        items.append(f'<li class="unmet">{text} <span class="mark">you do not</span>{link}</li>')
    return f'<h3>Qualifications needed</h3><ul class="asked">{"".join(items)}</ul>'


def _values(requirement: Requirement) -> str:
    places = [
        "-".join(filter(None, (place["Country"], place.get("Subdivision"))))
        for place in requirement.get("LocaleValues") or []
    ]
    return ", ".join([*map(str, requirement.get("IntegerValues") or []), *places])


@route("GET", "/mturk/preview/?")
def preview_by_query(books: Books, request: WebRequest) -> WebResponse:
    """The address that scripts print for their HITs: groupId is a HIT type's or a group's ID."""
    return redirect(f"/worker/groups/{quote(request.query.get('groupId', ''), safe='')}/")


@route("GET", r"/worker/groups/([A-Z0-9]+)/?")
def preview_group(books: Books, request: WebRequest, group_id: str) -> WebResponse:
    """The next HIT of a group as a preview: no assignment, nothing can be submitted."""
    if not request.worker:
        return sign_in_page(books, request)
    with books.moment() as world:
        hit = next_hit(world, request.worker, group_id)
        if hit is None:
            raise WorkError("There is no HIT left in this group for you.", 404)
        return _preview(world, request, hit_of(world, hit["id"]))


@route("GET", r"/worker/hits/([A-Z0-9]+)/?")
def preview_hit(books: Books, request: WebRequest, hit_id: str) -> WebResponse:
    """One HIT as a preview."""
    if not request.worker:
        return sign_in_page(books, request)
    with books.moment() as world:
        return _preview(world, request, hit_of(world, hit_id))


def _preview(world: World, request: WebRequest, hit: sqlite3.Row) -> WebResponse:
    if not may_preview(world, request.worker, hit):
        raise WorkError("You do not have the qualifications to preview this HIT.", 403)
    asked = json.loads(hit["requirements"])
    missing = [one["QualificationTypeId"] for one in unmet(world, request.worker, asked)]
    can_accept = hit["status"] == "Assignable" and not missing
    accept = (
        button(f"/worker/hits/{hit['id']}/accept/", "Accept HIT")
        if can_accept
        else '<p class="help">You cannot accept this HIT.</p>'
    )
    body = f"""<p>{escape(hit["description"])}</p>
<p class="note">This is a preview: accept the HIT before you work on it. {money(hit["reward"])},
{span(hit["duration"])} at most.</p>
{requirement_list(world, asked, missing)}
<div class="row">{accept}<a href="/worker/">Back to the list</a></div>
{task(world, request, hit, PREVIEW)}"""
    return page(request, hit["title"], body, wide=True)
