"""The API over learned metrics: asked for, followed, stopped, deleted; checkpoints out and in."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.trainings.models import Checkpoint, Training
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.package import pack
from tests.benchmarks.scenes import Scene
from tests.core.rest.people import Caller, caller

pytestmark = pytest.mark.django_db

SMALL = {"name": "mine", "kind": "lerc", "sets": ["small"], "epochs": "2", "seeds": ["1", "2"]}


def test_a_training_is_requested_stopped_resumed_and_deleted(
    unlisted: Scene, owner: Caller, owner_user: User
) -> None:
    form = SMALL | {"rates": ["0.001", "0.01"], "features": ["token-f1"], "patience": "1"}
    made = owner.upload("/trainings", form)
    assert made.status_code == 202, made.content
    training = made.json()
    path = f"/trainings/{training['id']}"
    assert made.headers["Location"] == f"/api/v1{path}"
    assert (training["status"], training["judgment_sets"], training["checkpoint"]) == (
        "queued",
        ["small@1"],
        None,
    )
    assert training["choices"]["rates"] == [0.001, 0.01] and training["choices"]["seeds"] == [1, 2]
    assert owner.get("/trainings").json()["results"][0]["name"] == "mine"
    refused = owner.delete(path)
    assert (refused.status_code, Training.objects.count()) == (409, 1)
    assert owner.post(f"{path}/stop").json()["status"] == "cancelled"
    resumed = owner.post(f"{path}/resume")
    assert resumed.json()["status"] == "queued" and "Deprecation" not in resumed
    assert owner.post(f"{path}/stop").json()["status"] == "cancelled"
    assert owner.delete(path).status_code == 204
    assert owner.get(path).status_code == 404


def test_a_file_is_trained_on_beside_sets(unlisted: Scene, owner: Caller) -> None:
    line = {"question": "q", "answer": "a", "candidate": "b", "label": 1}
    file = SimpleUploadedFile("../my file.jsonl", json.dumps(line).encode())
    made = owner.upload("/trainings", SMALL | {"file": file, "format": "concord"})
    assert made.status_code == 202, made.content
    stored = Training.objects.get().files.get()
    assert stored.path == "my-file.jsonl" and json.loads(stored.bytes) == line
    assert made.json()["choices"]["formats"] == {"my-file.jsonl": "concord"}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": "bleu-1"}, "name"),
        ({"name": "No name"}, "name"),
        ({"kind": "bert"}, "kind"),
        ({"sets": []}, "sets"),
        ({"design": "A1"}, "design"),
        ({"kind": "kpqa"}, "sets"),
        ({"epochs": "0"}, "epochs"),
        ({"format": "concord"}, "file"),
        ({"format": "trecqa"}, "format"),
        ({"rates": ["0.1", "0.1"]}, ""),
        ({"bound": "1"}, ""),
        ({"colour": "red"}, "colour"),
    ],
)
def test_the_api_names_the_field_of_an_invalid_training(
    unlisted: Scene, owner: Caller, wrong: dict[str, object], field: str
) -> None:
    refused = owner.upload("/trainings", SMALL | wrong)
    assert refused.status_code == 422, refused.content
    assert field in [one["field"] for one in refused.json().get("errors", [{"field": ""}])]
    assert not Training.objects.exists()


def test_nobody_trains_on_what_they_may_not_see_and_others_do_not_see_the_training(
    unlisted: Scene, owner: Caller, outsider: Caller, editor: Caller
) -> None:
    assert outsider.upload("/trainings", SMALL).status_code == 404
    assert editor.upload("/trainings", SMALL).status_code == 403
    number = owner.upload("/trainings", SMALL).json()["id"]
    assert outsider.get(f"/trainings/{number}").status_code == 404
    assert outsider.get("/trainings").json()["results"] == []


def test_a_token_without_the_scope_trains_nothing(unlisted: Scene, owner_user: User) -> None:
    refused = caller(owner_user, "sets:read").upload("/trainings", SMALL)
    assert refused.status_code == 403 and not Training.objects.exists()


def test_a_checkpoint_is_imported_listed_and_deleted(owner: Caller, tmp_path: Path) -> None:
    file = SimpleUploadedFile("lerc.zip", pack(checkpoint_folder("lerc")))
    made = owner.upload("/checkpoints", {"name": "my-lerc", "file": file})
    assert made.status_code == 201, made.content
    assert (made.json()["kind"], made.json()["card"]["encoder"]) == ("lerc", "all-MiniLM-L6-v2")
    (listed,) = owner.get("/checkpoints").json()["results"]
    assert listed["name"] == "my-lerc"
    taken = owner.get("/checkpoints/my-lerc")
    assert taken.headers["Content-Type"] == "application/zip"
    again = SimpleUploadedFile("again.zip", taken.content)
    assert owner.upload("/checkpoints", {"name": "same", "file": again}).status_code == 201
    assert len(set(Checkpoint.objects.values_list("weights_sha256", flat=True))) == 1
    assert owner.get("/checkpoints/lerc").status_code == 404


def test_a_file_that_is_no_checkpoint_and_one_too_large_are_refused(
    owner: Caller, settings
) -> None:
    file = SimpleUploadedFile("lerc.zip", b"PK nothing")
    refused = owner.upload("/checkpoints", {"name": "my-lerc", "file": file})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "file")
    settings.CHECKPOINT_MAX_BYTES = 5
    large = SimpleUploadedFile("lerc.zip", io.BytesIO(b"x" * 99).read())
    assert owner.upload("/checkpoints", {"name": "my-lerc", "file": large}).status_code == 413
    assert not Checkpoint.objects.exists()
