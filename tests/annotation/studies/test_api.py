"""A study over the API, from its protocol to the frozen set."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from annotation.studies.models import Study
from annotation.studies.services import candidate_imports
from benchmarks.freezing import services as freezing
from benchmarks.sets.models import JudgmentSet
from tests.annotation.people import Scene
from tests.core.rest.people import Caller, caller, person

PROTOCOL = {
    "scale": [{"value": 1, "label": "wrong"}, {"value": 2, "label": "right"}],
    "question": "Is the answer right?",
    "rating_rules": [{"ratings": 2}],
}


def a_file(text: str, name: str) -> io.BytesIO:
    file = io.BytesIO(text.encode())
    file.name = name
    return file


def lines(count: int = 4) -> str:
    rows = [
        {"id": f"c{at}", "references": ["a boat"], "question": "What?", "candidate": f"boat {at}"}
        for at in range(count)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_study_is_visible_to_members_only(scene: Scene, viewer: Caller, outsider: Caller) -> None:
    assert [one["slug"] for one in viewer.get("/studies").json()["results"]] == ["boats"]
    assert outsider.get("/studies").json()["results"] == []
    refused = outsider.get("/studies/boats")
    assert refused.status_code == 404
    assert refused.json()["detail"] == "There is no such study."


def import_upload(
    caller: Caller, upload: int, body: dict[str, Any], path: str = "import"
) -> dict[str, int]:
    """Import an upload; the counts of the completed import."""
    response = caller.post(f"/studies/fresh/uploads/{upload}/{path}", body)
    assert (response.status_code, response.json()["counts"]) == (202, None), response.content
    assert ("Deprecation" in response) == (path != "import")
    candidate_imports.IMPORTS.perform(response.json()["id"])
    path = response["Location"].removeprefix("/api/v1")
    ended = caller.get(path).json()
    assert (ended["status"], ended["percent"]) == ("complete", 100)
    counts: dict[str, int] = ended["counts"]
    return counts


def test_a_study_begins_uploads_opens_and_is_planned(outsider: Caller) -> None:
    made = outsider.post(
        "/studies", {"slug": "fresh", "title": "New", "protocol": PROTOCOL, "seed": 3}
    )
    assert made.status_code == 201, made.content
    assert (made.json()["role"], made.json()["seed"]) == ("owner", 3)
    upload = outsider.upload("/studies/fresh/uploads", {"file": a_file(lines(), "c.jsonl")})
    assert upload.status_code == 201, upload.content
    assert upload.json()["contents"]["candidates"] == 4
    assert import_upload(outsider, upload.json()["id"], {})["taken"] == 4
    assert outsider.get("/studies/fresh/cost").json()["ratings"] == 8
    opened = outsider.post("/studies/fresh/stages/full/open")
    assert opened.json()["status"] == "open", opened.content
    again = outsider.post("/studies/fresh/stages/full/open")
    assert again.status_code == 409
    assert outsider.post("/studies/fresh/stages/full/close").json()["status"] == "closed"


@pytest.mark.parametrize(
    ("body", "drawn"), [({}, 2), ({"draw_questions": 3}, 3), ({"draw_questions": None}, 4)]
)
def test_an_upload_draws_questions_as_the_protocol_or_the_call_says(
    outsider: Caller, body: dict[str, Any], drawn: int
) -> None:
    protocol = PROTOCOL | {"draw_questions": 2}
    outsider.post("/studies", {"slug": "fresh", "title": "New", "protocol": protocol, "seed": 3})
    rows = [json.loads(row) for row in lines().splitlines()]
    text = "".join(json.dumps(row | {"question": f"{row['id']}?"}) + "\n" for row in rows)
    upload = outsider.upload("/studies/fresh/uploads", {"file": a_file(text, "c.jsonl")}).json()
    counts = import_upload(outsider, upload["id"], body)
    assert counts["taken"] == drawn
    if drawn < 4:
        assert counts[f"not drawn: {drawn} of 4 questions, seed 3"] == 4 - drawn


def test_a_csv_waits_until_its_columns_are_chosen(outsider: Caller) -> None:
    outsider.post("/studies", {"slug": "fresh", "title": "New", "protocol": PROTOCOL})
    text = "nr,asked,gold,said\n1,What?,a boat,boat\n2,Who?,Ann,Bob\n"
    upload = outsider.upload("/studies/fresh/uploads", {"file": a_file(text, "c.csv")}).json()
    assert (upload["needs_columns"], upload["contents"]) == (True, None)
    path = f"/studies/fresh/uploads/{upload['id']}"
    response = outsider.put(path, {"meanings": ["id", "question", "reference", "candidate"]})
    assert response.json()["contents"]["candidates"] == 2, response.content
    assert "Choose the column with the candidate." in outsider.put(path, {}).text
    usual = a_file(text.replace("asked,gold,said", "Query,Gold answer,Model output"), "d.csv")
    upload = outsider.upload("/studies/fresh/uploads", {"file": usual}).json()
    path = f"/studies/fresh/uploads/{upload['id']}"
    columns = outsider.put(path, {}).json()["columns"]
    assert columns["meanings"] == ["", "question", "reference", "candidate"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"question": ""}, "protocol.question"),
        ({"scale": [{"value": 1, "label": "only"}]}, "protocol.scale"),
        ({"scale": [{"value": 1, "label": "a"}, {"value": 3, "label": "b"}]}, "protocol.scale"),
        ({"rating_rules": []}, "protocol.rating_rules"),
        ({"pay": {"cents_per_full_hit": -1}}, "protocol.pay.cents_per_full_hit"),
        ({"question": "a\x00b"}, "protocol.question"),
        ({"moon": 1}, "protocol.moon"),
    ],
)
def test_a_protocol_that_cannot_be_run_names_the_field(
    outsider: Caller, changes: dict[str, Any], field: str
) -> None:
    refused = outsider.post(
        "/studies", {"slug": "fresh", "title": "New", "protocol": {**PROTOCOL, **changes}}
    )
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].startswith(field)
    assert not Study.objects.exists()


def test_a_slug_that_is_taken_names_the_field(scene: Scene, owner_caller: Caller) -> None:
    refused = owner_caller.post("/studies", {"slug": "boats", "title": "Again"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "slug"


def test_only_researchers_can_create_studies(db: None) -> None:
    assert caller(person("sam")).post("/studies", {"slug": "s", "title": "S"}).status_code == 403


def test_a_protocol_changes_only_from_the_state_that_was_read(
    scene: Scene, editor: Caller, viewer: Caller
) -> None:
    read = editor.get("/studies/boats/protocol")
    changed = read.json()["protocol"] | {"question": "How good is it?"}
    assert viewer.put("/studies/boats/protocol", changed).status_code == 403
    first = editor.put("/studies/boats/protocol", changed, If_Match=read["ETag"])
    assert first.json()["version"] == 2, first.content
    second = editor.put("/studies/boats/protocol", changed, If_Match=read["ETag"])
    assert second.status_code == 412


def test_ratings_have_pseudonyms_of_workers(scene: Scene, viewer: Caller) -> None:
    ratings = viewer.get("/studies/boats/ratings?limit=200").json()["results"]
    assert ratings
    names = {one.worker.name for one in scene.workers}
    assert {one["worker"] for one in ratings} <= names
    name = sorted(names)[0]
    worker_ratings = viewer.get(f"/studies/boats/ratings?worker={name}").json()["results"]
    assert {one["worker"] for one in worker_ratings} == {name}


def test_agreement_is_computed_with_the_ledger(scene: Scene, viewer: Caller) -> None:
    agreement = viewer.get("/studies/boats/agreement?level=interval").json()
    assert agreement["rows"][0]["kind"] == "all"
    assert agreement["rows"][0]["alpha"]["value"] < 1
    ledger = viewer.get("/studies/boats/ledger").json()
    assert [step["number"] for step in ledger["steps"]] == [1]
    assert ledger["after"]["value"] != ledger["before"]["value"]


def test_steps_are_added(scene: Scene, editor: Caller) -> None:
    made = editor.post("/studies/boats/ledger", {"kind": "minimum-seconds", "seconds": 1})
    assert made.status_code == 201, made.content
    refused = editor.post("/studies/boats/ledger", {"kind": "zscore", "threshold": 50})
    assert refused.status_code == 422


def test_a_study_is_frozen_to_a_private_set(scene: Scene, owner_caller: Caller) -> None:
    asked = owner_caller.post("/studies/boats/freeze", {"aggregation": "median", "name": "frozen"})
    assert asked.status_code == 202, asked.content
    address = asked["Location"].removeprefix("/api/v1")
    assert (asked.json()["status"], asked.json()["judgment_set"]) == ("queued", None)
    freezing.FREEZINGS.perform(asked.json()["id"])
    done = owner_caller.get(address).json()
    assert (done["status"], done["judgment_set"]) == ("complete", "frozen@1")
    assert done["preview"]["candidates"] == 12
    assert JudgmentSet.objects.get(name="frozen").published_at is None


def test_a_draft_is_published_only_for_the_exact_amount(
    scene: Scene, owner_caller: Caller, editor: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"stage": "full", "title": "Rate", "description": "Is it right?", "fee_percent": "0"}
    drafted = owner_caller.put("/studies/boats/draft/link", body)
    assert drafted.status_code == 200, drafted.content
    total = owner_caller.get("/studies/boats/draft").json()["total"]
    assert editor.post("/studies/boats/draft/publish", {"confirmed": total}).status_code == 403
    wrong = owner_caller.post("/studies/boats/draft/publish", {"confirmed": "0.01"})
    assert wrong.status_code == 409
