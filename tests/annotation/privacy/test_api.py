"""The API over what is kept of workers: the term of ids, and erasing."""

from __future__ import annotations

import pytest

from annotation.crowds.models import CrowdAssignment
from tests.annotation.people import Scene
from tests.core.rest.people import Caller

pytestmark = pytest.mark.django_db

PATH = "/studies/boats/retention"


def test_the_retention_period_is_read_changed_and_reset(
    scene: Scene, owner_caller: Caller, editor: Caller, settings
) -> None:
    settings.IDENTITY_RETENTION_DAYS = 365
    retention = editor.get(PATH).json()
    assert (retention["days"], retention["effective_days"], retention["erased"]) == (None, 365, 0)
    changed = owner_caller.put(PATH, {"days": 30})
    assert (changed.json()["days"], changed.json()["effective_days"]) == (30, 30)
    assert editor.get("/studies/boats/history").json()["results"][0]["after"] == {
        "identity_days": 30
    }
    assert owner_caller.put(PATH, {"days": None}).json()["effective_days"] == 365
    refused = owner_caller.put(PATH, {"days": -1})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "days")
    assert editor.put(PATH, {"days": 1}).status_code == 403


def test_a_worker_is_erased_once_and_their_ratings_stay(scene: Scene, owner_caller: Caller) -> None:
    name = scene.workers[3].worker.name
    path = f"/studies/boats/workers/{name}"
    refused = owner_caller.post(f"{path}/erase", {"confirm": "somebody"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "confirm")
    assert owner_caller.get(path).status_code == 200
    done = owner_caller.post(f"{path}/erase", {"confirm": name})
    assert done.status_code == 200, done.content
    answer = done.json()
    assert answer["ratings_removed"] == 0 and answer["ratings_kept"] > 0
    assert name not in done.content.decode() and answer["name"] in answer["sentence"]
    assert owner_caller.get(path).status_code == 404
    assert owner_caller.get(PATH).json()["erased"] == 1
    again = owner_caller.post(
        f"/studies/boats/workers/{answer['name']}/erase", {"confirm": answer["name"]}
    )
    assert (again.status_code, again.json()["type"].endswith("erasing-refused")) == (409, True)


def test_ratings_are_removed_on_request(scene: Scene, owner_caller: Caller) -> None:
    worker = scene.workers[2].worker
    before = owner_caller.get("/studies/boats/agreement").json()["rows"][0]["ratings"]
    path = f"/studies/boats/workers/{worker.name}/erase"
    answer = owner_caller.post(path, {"confirm": worker.name, "ratings": True}).json()
    assert answer["ratings_removed"] > 0 and answer["ratings_kept"] == 0
    after = owner_caller.get("/studies/boats/agreement").json()["rows"][0]["ratings"]
    assert after == before - answer["ratings_removed"]
    assert not CrowdAssignment.objects.filter(participation__worker=worker).exists()
