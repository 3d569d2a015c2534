"""Judgment sets over the API: who finds them, how they come in and go out."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from benchmarks.imports import services as imports
from benchmarks.imports.models import SetImport
from benchmarks.sets.models import JudgmentSet, SetMember
from tests.benchmarks.factories import (
    ESA_ROW,
    candidate_lines,
    judged_pair_lines,
)
from tests.benchmarks.scenes import Scene
from tests.concord.formats.format_examples import LFQA
from tests.core.rest.people import BASE, Caller, read_stream


def a_file(lines: list[dict[str, object]], name: str = "set.jsonl") -> io.BytesIO:
    file = io.BytesIO("".join(json.dumps(line) + "\n" for line in lines).encode())
    file.name = name
    return file


def test_a_private_set_is_known_to_its_members_alone(
    unlisted: Scene, viewer: Caller, outsider: Caller, anyone: Caller
) -> None:
    assert [one["name"] for one in viewer.get("/sets").json()["results"]] == ["small"]
    for other in (outsider, anyone):
        assert other.get("/sets").json()["results"] == []
        refused = other.get("/sets/small")
        assert refused.status_code == 404
        assert "small" not in refused.json()["detail"].replace("'small'", "")


def test_a_set_says_what_it_holds_and_what_role_one_has(unlisted: Scene, viewer: Caller) -> None:
    document = viewer.get("/sets/small@1").json()
    assert document["ref"] == "small@1"
    assert (document["candidates"], document["pairs"], document["scale"]) == (24, 4, [1.0, 5.0])
    assert document["role"] == "viewer"
    assert document["metrics"] == ["exact-match", "rouge-l", "token-f1"]


def imported(caller: Caller, answer: Any) -> Any:
    """The import that was accepted, after a worker's work."""
    assert answer.status_code == 202, answer.content
    assert (answer["Retry-After"], answer.json()["status"]) == ("1", "queued")
    imports.SET_IMPORTS.perform(answer.json()["id"])
    return caller.get(answer["Location"].removeprefix(BASE)).json()


def test_a_file_becomes_a_private_set_of_whoever_sent_it(outsider: Caller, viewer: Caller) -> None:
    answer = outsider.upload(
        "/sets", {"files": a_file(candidate_lines()), "format": "concord", "name": "new"}
    )
    document = imported(outsider, answer)
    assert (document["status"], document["judgment_set"], document["problem"]) == (
        "complete",
        "new@1",
        None,
    )
    assert (document["percent"], document["rows"]) == (100, 12)
    assert document["report"][0].startswith("set.jsonl (concord): 12 candidates read, 12 kept")
    made = outsider.get("/sets/new").json()
    assert (made["role"], made["published_at"]) == ("owner", None)
    assert SetMember.objects.get(set_name="new").user.username == "otto"
    assert viewer.get(f"/imports/{document['id']}").status_code == 404


def test_judged_pairs_alone_make_a_set(outsider: Caller) -> None:
    pairs = io.BytesIO(json.dumps(LFQA).encode())
    pairs.name = "lfqa.json"
    answer = outsider.upload("/sets", {"pairs": pairs, "format": "lfqa", "name": "new"})
    assert imported(outsider, answer)["judgment_set"] == "new@1"
    choices = outsider.get("/sets/new/choices").json()
    assert (choices["pairs"], choices["choices"]) == (1, 1)


@pytest.mark.parametrize(
    ("body", "field", "says"),
    [
        ({}, "files", "Send judgments or pairs."),
        ({"pairs": True, "title": "New"}, "title", "This needs a file of judgments."),
        ({"pairs": True, "add": True}, "add", "This needs a file of judgments."),
        ({"pairs": True, "criterion": "x"}, "criterion", "This needs a file of judgments."),
    ],
)
def test_pairs_alone_take_no_options_of_judgments(
    outsider: Caller, body: dict[str, Any], field: str, says: str
) -> None:
    if "pairs" in body:
        body = body | {"pairs": a_file(judged_pair_lines(), "pairs.jsonl")}
    answer = outsider.upload("/sets", {"name": "new", **body})
    assert answer.status_code == 422
    assert [(one["field"], one["detail"]) for one in answer.json()["errors"]] == [(field, says)]


def test_texts_come_in_a_file_of_their_own(outsider: Caller) -> None:
    ratings = io.BytesIO(ESA_ROW.encode())
    ratings.name = "esa.csv"
    line = {"id": "sysA/news-1/7", "references": ["Haus"], "candidate": "Hut"}
    body = {
        "files": ratings,
        "format": "esa",
        "name": "esa",
        "texts": a_file([line], "texts.jsonl"),
    }
    document = imported(outsider, outsider.upload("/sets", body))
    assert (document["status"], document["judgment_set"]) == ("complete", "esa@1")
    assert document["percent"] == 100
    (candidate,) = outsider.get("/sets/esa/candidates").json()["results"]
    assert candidate["candidate"] == "Hut"
    refused = outsider.upload(
        "/sets",
        {"files": a_file(candidate_lines()), "name": "x", "texts": a_file([line], "texts.jsonl")},
    )
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert fault["field"] == "texts" and "concord does not accept it" in fault["detail"]


def test_a_faulty_file_fails_by_line_and_field_and_nothing_is_kept(outsider: Caller) -> None:
    lines = candidate_lines()
    lines[2]["score"] = "good"
    answer = outsider.upload("/sets", {"files": a_file(lines), "format": "concord", "name": "new"})
    document = imported(outsider, answer)
    assert (document["status"], document["judgment_set"]) == ("failed", None)
    problem = document["problem"]
    assert problem["type"].endswith("#problem-file-refused") and problem["status"] == 422
    (fault,) = problem["errors"]
    assert (fault["file"], fault["line"], fault["field"]) == ("set.jsonl", 3, "score")
    assert problem["detail"] == document["reason"] and document["reason"].startswith(
        "set.jsonl:3: score"
    )
    assert not JudgmentSet.objects.exists()


def test_what_is_no_file_of_the_format_is_refused_at_once(outsider: Caller) -> None:
    file = io.BytesIO(b'{"id": "\xff"}')
    file.name = "set.jsonl"
    refused = outsider.upload("/sets", {"files": file, "format": "concord", "name": "new"})
    assert refused.status_code == 422
    assert refused["Content-Type"] == "application/problem+json"
    (fault,) = refused.json()["errors"]
    assert (fault["file"], fault["line"]) == ("set.jsonl", 1) and "not UTF-8" in fault["detail"]
    assert not SetImport.objects.exists()


def test_a_name_of_somebody_else_is_refused_without_saying_whose(
    unlisted: Scene, outsider: Caller
) -> None:
    refused = outsider.upload(
        "/sets", {"files": a_file(candidate_lines()), "format": "concord", "name": "small"}
    )
    assert refused.status_code == 403
    assert refused.json()["type"].endswith("#problem-role-needed")


def test_who_is_no_researcher_begins_no_set(viewer: Caller) -> None:
    refused = viewer.upload(
        "/sets", {"files": a_file(candidate_lines()), "format": "concord", "name": "mine"}
    )
    assert refused.status_code == 403


def test_what_is_exported_can_be_imported_again(unlisted: Scene, owner: Caller) -> None:
    exported = read_stream(owner.get("/sets/small/judgments.jsonl"))
    file = io.BytesIO(exported)
    file.name = "small.jsonl"
    made = owner.upload("/sets", {"files": file, "format": "concord", "name": "again"})
    assert imported(owner, made)["judgment_set"] == "again@1"
    assert owner.get("/sets/again").json()["candidates"] == 24


def test_versions_and_candidates_come_in_pages(unlisted: Scene, viewer: Caller) -> None:
    first = viewer.get("/sets/small/candidates?limit=20").json()
    assert len(first["results"]) == 20
    path = first["next"].split("/api/v1", 1)[1]
    second = viewer.get(path).json()
    assert len(second["results"]) == 4
    assert second["next"] is None
    keys = {one["id"] for one in [*first["results"], *second["results"]]}
    assert len(keys) == 24
