"""Learned metrics by the client: a training asked for and ended, a checkpoint out and in."""

from __future__ import annotations

from pathlib import Path

import pytest

from concord.client import Client, ProblemError
from scorers.learned.checkpoint import checkpoint_folder
from scorers.learned.package import pack


@pytest.fixture
def name(client: Client, tmp_path: Path) -> str:
    """A small set of the client's own."""
    file = "concord/demo/judgments.jsonl"
    return client.import_set(file, format="concord", name="small").ref


def test_a_training_is_requested_stopped_resumed_and_deleted(client: Client, name: str) -> None:
    asked = client.train("lerc", "mine", sets=[name], epochs=1, rates=[0.001, 0.01])
    assert (asked.status, asked.judgment_sets) == ("queued", [name])
    assert client.training(asked.id).raw["choices"]["rates"] == [0.001, 0.01]
    assert [one.name for one in client.trainings()] == ["mine"]
    stopped = client.wait(client.stop_training(asked), timeout=300)
    assert stopped.status == "cancelled"
    assert client.resume_training(stopped).status == "queued"
    client.delete_training(client.stop_training(asked))
    assert list(client.trainings()) == []


def test_a_file_is_sent_along(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "squad.json"
    file.write_text('{"data": []}')
    asked = client.train("kpqa", "mine", file=file, format="squad", made=0.5)
    assert asked.raw["choices"]["formats"] == {"squad.json": "squad"}
    with pytest.raises(ProblemError) as refused:
        client.train("lerc", "mine", sets=[])
    assert refused.value.faults[0].field in ("name", "sets")


def test_a_checkpoint_is_brought_and_taken_away(client: Client, tmp_path: Path) -> None:

    first, second = tmp_path / "first.zip", tmp_path / "second.zip"
    first.write_bytes(pack(checkpoint_folder("ava")))
    made = client.import_checkpoint("my-ava", first)
    assert (made.name, made.kind) == ("my-ava", "ava")
    assert client.download_checkpoint("my-ava", second).stat().st_size > 0
    again = client.import_checkpoint("same", second)
    assert again.weights_sha256 == made.weights_sha256
    assert [one.name for one in client.checkpoints()] == ["my-ava", "same"]
