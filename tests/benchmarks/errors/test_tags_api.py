"""The API of tags: reasons for disagreements are stored, counted and deleted."""

from __future__ import annotations

import pytest

from tests.benchmarks.scenes import Scene
from tests.core.rest.people import Caller

pytestmark = pytest.mark.django_db

PATH = "/sets/small/tags"


def test_a_reason_is_stored_counted_and_deleted_by_its_author(
    unlisted: Scene, viewer: Caller, owner: Caller
) -> None:
    body = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "same meaning"}
    created = viewer.post(PATH, body)
    assert created.status_code == 201, created.content
    assert created.json() | {"id": 0} == body | {"id": 0, "other": None, "note": ""}
    assert viewer.post(PATH, body).json()["id"] == created.json()["id"]
    (tally,) = owner.get(PATH).json()["tallies"]
    assert (tally["tagged"], tally["counts"]["same meaning"], tally["counts"]["unit"]) == (1, 1, 0)
    assert (tally["metric"], tally["other"]) == (unlisted.run.metric, None)
    answer = viewer.get(f"/sets/small/disagreements?run={unlisted.run.pk}&count=100").json()
    assert [one["reasons"] for one in answer["conflicts"] if one["id"] == "c1-b"] == [
        ["same meaning"]
    ]
    path = f"{PATH}/{created.json()['id']}"
    assert owner.delete(path).status_code == 404
    assert viewer.delete(path).status_code == 204
    assert owner.get(PATH).json()["tallies"] == []


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"candidate": "nobody"}, "candidate"),
        ({"reason": "weather"}, "reason"),
        ({"reason": "unit", "note": "x" * 501}, "note"),
    ],
)
def test_errors_name_the_field(
    unlisted: Scene, viewer: Caller, wrong: dict[str, str], field: str
) -> None:
    body = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "unit"}
    refused = viewer.post(PATH, body | wrong)
    assert refused.status_code == 422
    assert [one["field"] for one in refused.json()["errors"]] == [field]


def test_the_reason_other_needs_a_note(unlisted: Scene, viewer: Caller) -> None:
    body = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "other"}
    refused = viewer.post(PATH, body)
    assert refused.status_code == 422
    assert refused.json()["detail"] == "Write a note that says what else it is."
    assert viewer.post(PATH, body | {"note": "a dialect"}).status_code == 201
