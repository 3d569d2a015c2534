"""The API over reasons for disagreements: given, counted, taken back."""

from __future__ import annotations

import pytest

from tests.benchmarks.scenes import Scene
from tests.core.rest.people import Caller

pytestmark = pytest.mark.django_db

PATH = "/sets/small/tags"


def test_a_reason_is_given_counted_and_taken_back_by_who_gave_it(
    unlisted: Scene, viewer: Caller, owner: Caller
) -> None:
    given = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "same meaning"}
    made = viewer.post(PATH, given)
    assert made.status_code == 201, made.content
    assert made.json() | {"id": 0} == given | {"id": 0, "other": None, "note": ""}
    assert viewer.post(PATH, given).json()["id"] == made.json()["id"]
    (tally,) = owner.get(PATH).json()["tallies"]
    assert (tally["tagged"], tally["counts"]["same meaning"], tally["counts"]["unit"]) == (1, 1, 0)
    assert (tally["metric"], tally["other"]) == (unlisted.run.metric, None)
    found = viewer.get(f"/sets/small/disagreements?run={unlisted.run.pk}&count=100").json()
    assert [one["reasons"] for one in found["conflicts"] if one["id"] == "c1-b"] == [
        ["same meaning"]
    ]
    path = f"{PATH}/{made.json()['id']}"
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
def test_what_is_wrong_is_named(
    unlisted: Scene, viewer: Caller, wrong: dict[str, str], field: str
) -> None:
    given = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "unit"}
    refused = viewer.post(PATH, given | wrong)
    assert refused.status_code == 422
    assert [one["field"] for one in refused.json()["errors"]] == [field]


def test_something_else_has_to_be_said(unlisted: Scene, viewer: Caller) -> None:
    given = {"run": unlisted.run.pk, "candidate": "c1-b", "reason": "other"}
    refused = viewer.post(PATH, given)
    assert (refused.status_code, refused.json()["detail"]) == (422, "Say what else it is.")
    assert viewer.post(PATH, given | {"note": "a dialect"}).status_code == 201
