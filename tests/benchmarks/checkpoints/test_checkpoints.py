"""Checkpoints come in as zip files, are metrics by their names, and go out and away."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.timezone import now

import scorers
from benchmarks.checkpoints import services as checkpoints
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.checkpoints.services import read_checkpoint
from core.audit.models import AuditEvent
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.package import pack
from tests.benchmarks.factories import make_set, score_here
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> Client:
    client = Client()
    client.force_login(User.objects.create_user("sam", is_staff=True))
    return client


def bring(client: Client, name: str, content: bytes) -> str:
    """The text of the page after the import of a file."""
    file = SimpleUploadedFile("any.zip", content)
    return readable(client.post("/learned/import", {"name": name, "file": file}, follow=True))


def test_a_checkpoint_is_imported_exported_and_deleted(
    staff: Client, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = pack(checkpoint_folder("ava-features"))
    # Web processes have no models.
    monkeypatch.setattr("scorers.learned.metric.LearnedMetric.open", None)
    assert "mine is imported as a metric" in bring(staff, "mine", content)
    monkeypatch.undo()
    (metric,) = scorers.parse_metrics("mine")
    assert metric.name == "ava(checkpoint=mine)"
    runs = score_here(make_set(tmp_path, instances=2), "mine,ava")
    assert list(runs[0].score_array) == list(runs[1].score_array)
    again = staff.get("/learned/checkpoints/mine.zip").content
    assert zipfile.ZipFile(io.BytesIO(again)).namelist()[0] == "mine/card.json"
    card = json.loads(zipfile.ZipFile(io.BytesIO(content)).read("ava-features/card.json"))
    assert Checkpoint.objects.get().card == card
    assert "mine is deleted" in readable(
        staff.post("/learned/checkpoints/mine/delete", follow=True)
    )
    assert not Checkpoint.objects.exists()
    events = AuditEvent.objects.filter(action__startswith="checkpoint").order_by("pk")
    assert [(one.action, one.target_name, one.actor_name) for one in events] == [
        ("checkpoint.imported", "mine", "sam"),
        ("checkpoint.exported", "mine", "sam"),
        ("checkpoint.deleted", "mine", "sam"),
    ]


def test_what_is_no_checkpoint_is_refused(staff: Client, settings) -> None:
    content = pack(checkpoint_folder("lerc"))
    bring(staff, "theirs", content)
    assert "another metric or checkpoint" in bring(staff, "theirs", content)
    assert "another metric or checkpoint" in bring(staff, "bleu-1", content)
    assert "cannot be read as a zip file" in bring(staff, "other", b"nothing")
    card = Checkpoint.objects.get().card
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as archive:
        archive.writestr("card.json", json.dumps(card))
        archive.writestr("weights.safetensors", b"others")
        archive.writestr("../../evil", b"no")
    assert "not the file that its card names" in bring(staff, "other", changed.getvalue())
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("card.json", json.dumps(card))
        archive.writestr("weights.safetensors", b"\0" * 3_000_000)
    settings.CHECKPOINT_MAX_BYTES = 1_000_000
    assert "too large" in bring(staff, "other", bomb.getvalue())
    assert not Checkpoint.objects.filter(name="other").exists()


def test_the_same_weights_under_two_names_have_a_folder_each() -> None:
    for name in ("first", "second"):
        read_checkpoint(checkpoint_folder("ava"), name, at=now()).save()
    folders = [checkpoints.folder_of(name) for name in ("first", "second")]
    assert [folder.name for folder in folders] == ["first", "second"]
    assert len({folder.parent for folder in folders}) == 2
    Checkpoint.objects.filter(name="first").update(card={"kind": "another"})
    changed = checkpoints.folder_of("first") / "card.json"
    assert json.loads(changed.read_text()) == {"kind": "another"}
