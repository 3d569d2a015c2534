"""The API of checkpoints: in, out and deleted."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from benchmarks.checkpoints.models import Checkpoint
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.package import pack
from tests.core.rest.people import Caller

pytestmark = pytest.mark.django_db


def test_a_checkpoint_is_imported_and_exported(owner: Caller) -> None:
    file = SimpleUploadedFile("lerc.zip", pack(checkpoint_folder("lerc")))
    made = owner.upload("/checkpoints", {"name": "my-lerc", "file": file})
    assert made.status_code == 201, made.content
    assert (made.json()["kind"], made.json()["card"]["encoder"]) == ("lerc", "all-MiniLM-L6-v2")
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
