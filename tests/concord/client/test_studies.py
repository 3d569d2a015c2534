"""A study by the client, from its protocol to the judgment set frozen from its ratings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.studies.models import Stage
from concord.client import Client, ProblemError
from tests.annotation import people

PROTOCOL: dict[str, Any] = {
    "scale": [{"value": value, "label": f"point {value}"} for value in range(1, 6)],
    "question": "How right is the answer?",
    "rating_rules": [{"ratings": 2}],
    "hit": {"max_candidates": 4, "same_passage": False},
}


def candidates(folder: Path) -> Path:
    rows = [
        {"id": f"c{at}", "references": ["a boat"], "question": "What?", "candidate": f"boat {at}"}
        for at in range(6)
    ]
    file = folder / "candidates.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_study_from_protocol_to_judgment_set(client: Client, tmp_path: Path) -> None:
    study = client.create_study("boats", "Boats", protocol=PROTOCOL, seed=5)
    assert (study.role, study.seed) == ("owner", 5)
    protocol = client.get("/studies/boats/protocol")["protocol"]
    assert protocol["question"] == "How right is the answer?"
    changed = protocol | {"question": "How good is it?"}
    updated = client.post("/studies/boats/protocol", changed, method="PUT")
    assert updated["version"] == 1, "nobody works by it yet"
    added = client.wait(client.upload_candidates(study, candidates(tmp_path)))
    assert added.counts is not None and added.counts["taken"] == 6
    assert client.cost(study)["ratings"] == 12
    assert client.open_stage(study, "full").status == "open"
    _rate("boats")
    assert client.close_stage(study, "full").status == "closed"
    (stage,) = client.stages(study)
    assert (stage.percent, stage.ratings) == (100, 12)
    assert len(list(client.pages("/studies/boats/ratings"))) == 12
    assert len(list(client.pages("/studies/boats/workers"))) == 2
    agreement = client.agreement(study)
    assert (agreement.rows[0]["kind"], agreement.marks) == ("all", None)
    choices = client.download("/studies/boats/choices.jsonl", tmp_path / "choices.jsonl")
    assert choices.read_text() == ""
    assert client.get("/studies/boats/ledger")["removed"] == 0
    previewed = client.wait(client.freeze(study, name="boats-set", is_preview=True))
    assert previewed.preview is not None and previewed.preview["candidates"] == 6
    with pytest.raises(ProblemError, match="There is no set"):
        client.frozen_set(previewed)
    asked = client.freeze(study, aggregation="mean", name="boats-set")
    frozen = client.frozen_set(client.wait(asked))
    assert (frozen.ref, frozen.candidates) == ("boats-set@1", 6)
    assert client.publications(study) == []
    assert [one["slug"] for one in client.pages("/studies")] == ["boats"]


def test_a_protocol_that_cannot_be_run_names_its_field(client: Client) -> None:
    with pytest.raises(ProblemError) as refused:
        client.create_study("s", "S", protocol=PROTOCOL | {"rating_rules": [{"ratings": 0}]})
    assert refused.value.faults[0].field == "protocol.rating_rules.0.ratings"


def _rate(slug: str) -> None:
    """Two people rate all there is."""
    stage = Stage.objects.select_related("study").get(study__slug=slug)
    for at, name in enumerate(("ann", "bob")):
        values = {f"c{number}": 1 + (number + at) % 5 for number in range(6)}
        people.rate(stage, people.join(stage.study, name), values)
