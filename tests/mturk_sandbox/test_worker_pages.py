"""A person's way through the pages, without script."""

from __future__ import annotations

import html
import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from mturk_sandbox import Sandbox
from tests.mturk_sandbox.people import (
    START,
    Person,
    external,
    terms,
)


def frame(page: str) -> tuple[str, dict[str, str]]:
    """The address of the task's frame without its parameters, and those."""
    match = re.search(r'<iframe src="([^"]+)"', page)
    assert match
    address = html.unescape(match[1])
    parts = urlsplit(address)
    form_data = {name: values[0] for name, values in parse_qs(parts.query).items()}
    return address.partition("?")[0], form_data


def created(alice: Any, **changes: Any) -> str:
    return str(alice.create_hit(**terms(**changes))["HIT"]["HITId"])


def test_signing_in_makes_a_worker(sandbox: Sandbox) -> None:
    nobody = Person(sandbox.url, "not an ID")
    assert "Sign in as a worker" in nobody.get("/worker/")
    assert nobody.post("/worker/login/", workerId="b1")[0] == 400
    _, page, _ = nobody.post("/worker/login/", workerId="a1new")
    assert "A1NEW" in page
    _, page, _ = nobody.post("/worker/login/", workerId="")
    assert re.search(r'class="id">A[A-Z0-9]{13}<', page)
    nobody.post("/worker/logout/")
    for path in ("/worker/", "/worker/dashboard/", "/worker/qualifications/", "/worker/profile/"):
        assert "Sign in as a worker" in nobody.get(path)


def test_a_group_is_found_previewed_accepted_and_submitted(
    sandbox: Sandbox, alice: Any, bob: Person
) -> None:
    hit = alice.create_hit(**terms(Title="Rate <b>answers</b>", MaxAssignments=2))["HIT"]
    created(alice, Title="Rate <b>answers</b>", MaxAssignments=2)
    page = bob.get("/worker/")
    assert "<h2>Rate &lt;b&gt;answers&lt;/b&gt;</h2>" in page and "<dd>$0.10</dd>" in page
    assert "<dt>HITs</dt><dd>2</dd>" in page
    for group in (hit["HITGroupId"], hit["HITTypeId"]):
        page = bob.get(f"/mturk/preview?groupId={group}")
    address, form_data = frame(page)
    assert address == "https://example.org/task"
    assert form_data == {
        "study": "1",
        "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE",
        "hitId": hit["HITId"],
        "turkSubmitTo": sandbox.url,
    }
    assert alice.get_hit(HITId=hit["HITId"])["HIT"]["NumberOfAssignmentsPending"] == 0
    assignment_id = bob.accept(hit["HITId"])
    _, form_data = frame(bob.get(f"/worker/assignments/{assignment_id}/"))
    assert form_data == {
        "study": "1",
        "assignmentId": assignment_id,
        "hitId": hit["HITId"],
        "turkSubmitTo": sandbox.url,
        "workerId": "A1BOB",
    }
    assert f"/worker/assignments/{assignment_id}/" in bob.get("/worker/dashboard/")
    status, page, address = bob.submit(assignment_id, rating=4)
    assert status == 200 and address.endswith("/worker/submitted/")
    assert 'target="_top"' in page and "<header>" not in page
    # Its other HIT is left, this one is not offered again.
    assert "<dt>HITs</dt><dd>1</dd>" in bob.get("/worker/")
    assert bob.post(f"/worker/hits/{hit['HITId']}/accept/")[0] == 409


def test_accepting_twice_is_one_assignment(alice: Any, bob: Person) -> None:
    hit = created(alice, MaxAssignments=3)
    assert bob.accept(hit) == bob.accept(hit)
    assert alice.get_hit(HITId=hit)["HIT"]["NumberOfAssignmentsPending"] == 1


def test_the_last_place_goes_to_one_worker(alice: Any, worker: Callable[[str], Person]) -> None:
    hit = created(alice)
    bob, carol = worker("A1BOB"), worker("A2CAROL")
    bob.accept(hit)
    status, page, _ = carol.post(f"/worker/hits/{hit}/accept/")
    assert status == 409 and "no longer available" in page


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"rating": "4"}, 400, "no assignmentId"),
        ({"assignmentId": "3NONE", "rating": "4"}, 404, "no such assignment"),
        ({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "rating": "4"}, 400, "preview"),
        ({"assignmentId": "MINE"}, 400, "no field besides"),
        ({"assignmentId": "MINE", "hitId": "3X"}, 400, "no field besides"),
    ],
)
def test_external_submit_refuses_invalid_forms(
    alice: Any, bob: Person, fields: dict[str, str], status: int, message: str
) -> None:
    hit = created(alice)
    assignment_id = bob.accept(hit)
    form_data = {
        name: assignment_id if value == "MINE" else value for name, value in fields.items()
    }
    answer_status, page, _ = bob.post("/mturk/externalSubmit", **form_data)
    assert answer_status == status and message in page
    assert alice.get_hit(HITId=hit)["HIT"]["NumberOfAssignmentsPending"] == 1


def test_a_form_is_accepted_once(alice: Any, bob: Person) -> None:
    assignment_id = bob.do(created(alice), rating="4")
    status, page, _ = bob.submit(assignment_id, rating="1")
    assert status == 409 and "submitted already" in page
    answer = alice.get_assignment(AssignmentId=assignment_id)["Assignment"]["Answer"]
    assert "<FreeText>4</FreeText>" in answer


def test_external_submit_takes_posts_only(bob: Person) -> None:
    assert bob.status_of("/mturk/externalSubmit?assignmentId=3X&a=1") == 405


def test_workers_return_only_their_own_assignments(
    alice: Any, worker: Callable[[str], Person]
) -> None:
    hit = created(alice, MaxAssignments=2)
    bob, carol = worker("A1BOB"), worker("A2CAROL")
    assignment_id = bob.accept(hit)
    assert carol.post(f"/worker/assignments/{assignment_id}/return/")[0] == 403
    assert carol.status_of(f"/worker/assignments/{assignment_id}/") == 403
    assert bob.post(f"/worker/assignments/{assignment_id}/return/")[0] == 200
    assert "Returned" in bob.get("/worker/dashboard/")
    assert bob.post(f"/worker/assignments/{assignment_id}/return/")[0] == 409


def test_an_address_with_a_fragment_keeps_it(alice: Any, bob: Person) -> None:
    hit = created(alice, Question=external("https://example.org/a#top"))
    page = bob.get(f"/worker/hits/{hit}/")
    assert re.search(r'src="https://example.org/a\?assignmentId=[^"#]+#top"', page)


def test_labels_headings_and_language(sandbox: Sandbox, alice: Any, bob: Person) -> None:
    """What a page needs for a screen reader: a language, one heading, a label for each control."""
    created(alice)
    for path in ("/worker/", "/worker/profile/", "/worker/dashboard/", "/ledger/", "/nothing/"):
        _, page, _ = bob.open(urllib.request.Request(sandbox.url + path))
        assert '<html lang="en">' in page and page.count("<h1>") == 1
        named = set(re.findall(r'<label for="([^"]+)"', page))
        inputs = re.findall(r'<input id="([^"]+)"', page)
        assert set(inputs) <= named
        assert "<script" not in page


def test_the_clock_is_moved_from_this_machine(sandbox: Sandbox) -> None:
    def post(document: Any) -> tuple[int, Any]:
        request = urllib.request.Request(
            f"{sandbox.url}/sandbox/clock", data=json.dumps(document).encode()
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    assert post({"advance_seconds": 90}) == (200, {"now": START + 90})
    for wrong in ({"advance_seconds": -1}, {"advance_seconds": "9"}, {}, []):
        assert post(wrong)[0] == 400


def test_the_ledger_can_be_read(alice: Any, bob: Person) -> None:
    created(alice)
    page = bob.get("/ledger/")
    assert "AKIDALICE" in page and "$9999.88" in page and "deposit" in page
