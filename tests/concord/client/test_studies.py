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
    assert client.protocol(study)["question"] == "How right is the answer?"
    changed = client.protocol(study) | {"question": "How good is it?"}
    assert client.update_protocol(study, changed) == 1  # nobody works by it yet
    added = client.wait(client.upload_candidates(study, candidates(tmp_path)))
    assert added.counts is not None and added.counts["taken"] == 6
    assert client.stop_candidate_import(added).status == "complete", "it has ended"
    assert client.cost(study)["ratings"] == 12
    assert client.plan(study, width=0.3)["cheapest"]["width"] <= 0.3
    assert client.open_stage(study, "full").status == "open"
    _rate("boats")
    assert client.pause_stage(study, "full", "The link is wrong.").paused_at is not None
    assert client.resume_stage(study, "full").paused_at is None
    assert client.close_stage(study, "full").status == "closed"
    (stage,) = client.stages(study)
    assert (stage.percent, stage.ratings) == (100, 12)
    assert len(list(client.ratings(study))) == 12
    workers = list(client.workers(study))
    client.exclude_worker(study, workers[0].worker, "a robot")
    agreement = client.agreement(study)
    assert (agreement.rows[0]["kind"], agreement.halo, agreement.marks) == ("all", [], None)
    assert client.download_choices(study, tmp_path / "choices.jsonl").read_text() == ""
    client.readmit_worker(study, workers[0].worker)
    assert client.ledger(study)["removed"] == 0
    previewed = client.wait(client.freeze(study, name="boats-set", is_preview=True))
    assert previewed.preview is not None and previewed.preview["candidates"] == 6
    assert client.stop_freezing(previewed).status == "complete", "it has ended"
    with pytest.raises(ProblemError, match="There is no set"):
        client.frozen_set(previewed)
    asked = client.freeze(study, aggregation="mean", name="boats-set")
    frozen = client.frozen_set(client.wait(asked))
    assert (frozen.ref, frozen.candidates) == ("boats-set@1", 6)
    assert list(client.publications(study)) == []
    assert [one.slug for one in client.studies()] == ["boats"]


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
    rows = list(client.rater_disagreements(study))
    assert {row.values == [1, 2] for row in rows} == {True, False} and rows[0].range >= 1
    assert list(client.rater_disagreements(study, criterion="clear")) == []
    client.adjudicate(study, rows[0].id, 4, note="read again")
    assert len(list(client.rater_disagreements(study))) == len(rows) - 1
    settled = client.rater_disagreements(study, include_adjudicated=True)
    assert {row.id: row.adjudicated_value for row in settled}[rows[0].id] == 4
    with pytest.raises(ProblemError, match="from 1 to 5"):
        client.adjudicate(study, rows[0].id, 40)


def test_a_study_is_copied_archived_and_deleted(client: Client, tmp_path: Path) -> None:
    study = client.create_study("boats", "Boats", protocol=PROTOCOL, seed=5)
    client.wait(client.upload_candidates(study, candidates(tmp_path)))
    copy = client.copy_study(study, "boats-2", "Boats again")
    assert (copy.seed, client.cost(copy)["ratings"]) == (5, 12)
    links = client.signed_links(copy, ["ann", "ben"])
    assert list(links) == ["ann", "ben"] and "?invite=" in links["ann"]
    assert client.set_rater_language(copy, "de").rater_language == "de"
    with pytest.raises(ProblemError, match="language"):
        client.set_rater_language(copy, "tlh")
    assert client.archive_study(copy).archived_at is not None
    assert client.restore_study(copy).archived_at is None
    client.delete_study(copy)
    assert [one.slug for one in client.studies()] == ["boats"]
