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
    stage_path = "/studies/boats/stages/full"
    paused = client.post(f"{stage_path}/pause", {"reason": "The link is wrong."})
    assert paused["paused_at"] is not None
    assert client.post(f"{stage_path}/resume")["paused_at"] is None
    assert client.close_stage(study, "full").status == "closed"
    (stage,) = client.stages(study)
    assert (stage.percent, stage.ratings) == (100, 12)
    assert len(list(client.pages("/studies/boats/ratings"))) == 12
    worker, _ = client.pages("/studies/boats/workers")
    of_worker = f"/studies/boats/workers/{worker['worker']}"
    client.post(f"{of_worker}/exclude", {"reason": "a robot"})
    agreement = client.agreement(study)
    assert (agreement.rows[0]["kind"], agreement.marks) == ("all", None)
    choices = client.download("/studies/boats/choices.jsonl", tmp_path / "choices.jsonl")
    assert choices.read_text() == ""
    client.post(f"{of_worker}/readmit")
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


def test_keys_in_columns_and_adjudication(client: Client, tmp_path: Path) -> None:
    clear = {"name": "clear", "question": "Is it clear?", "kind": "yes-no"}
    keyed = PROTOCOL | {"criteria": [clear | {"required": False}]}
    study = client.create_study("boats", "Boats", protocol=keyed, seed=5)
    client.wait(client.upload_candidates(study, candidates(tmp_path)))
    table = tmp_path / "checks.csv"
    table.write_text("id,reference,candidate,score,clear\ng1,R,an answer,3,no\n")
    columns = ["id", "reference", "candidate", "score", "key"]
    added = client.wait(client.upload_candidates(study, table, use="gold", columns=columns))
    assert added.counts is not None and added.counts["taken"] == 1
    table.write_text("id,reference,candidate,score,clear\ng2,R,an answer,3,perhaps\n")
    refused = client.wait(client.upload_candidates(study, table, use="gold", columns=columns))
    assert refused.status == "failed" and "line 2, g2: clear" in refused.reason
    client.open_stage(study, "full")
    _rate("boats")
    path = "/studies/boats/adjudication"
    rows = list(client.pages(path))
    assert {row["values"] == [1, 2] for row in rows} == {True, False} and rows[0]["range"] >= 1
    assert list(client.pages(path, criterion="clear")) == []
    first = f"{path}/{rows[0]['id']}"
    client.post(first, {"value": 4, "criterion": "", "note": "read again"}, method="PUT")
    assert len(list(client.pages(path))) == len(rows) - 1
    settled = client.pages(path, include_adjudicated=True)
    assert {row["id"]: row["adjudicated_value"] for row in settled}[rows[0]["id"]] == 4
    with pytest.raises(ProblemError, match="from 1 to 5"):
        client.post(first, {"value": 40, "criterion": "", "note": ""}, method="PUT")


def test_a_study_is_copied_archived_and_deleted(client: Client, tmp_path: Path) -> None:
    study = client.create_study("boats", "Boats", protocol=PROTOCOL, seed=5)
    client.wait(client.upload_candidates(study, candidates(tmp_path)))
    body = {"slug": "boats-2", "title": "Boats again"}
    assert client.post("/studies/boats/copy", body, creates=True)["seed"] == 5
    assert client.cost("boats-2")["ratings"] == 12
    copy = "/studies/boats-2"
    links = client.post(f"{copy}/signed-links", {"workers": ["ann", "ben"]})["links"]
    assert [link["worker"] for link in links] == ["ann", "ben"] and "?invite=" in links[0]["url"]
    assert client.post(f"{copy}/language", {"language": "de"})["rater_language"] == "de"
    with pytest.raises(ProblemError, match="language"):
        client.post(f"{copy}/language", {"language": "tlh"})
    assert client.post(f"{copy}/archive")["archived_at"] is not None
    assert client.post(f"{copy}/restore")["archived_at"] is None
    client.post(f"{copy}/delete", {"confirm": "boats-2", "paid": False})
    assert [one["slug"] for one in client.pages("/studies")] == ["boats"]
