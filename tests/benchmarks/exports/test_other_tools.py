"""Judgments to and from annotation tools, by the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.exports.services import other_tools
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing, storage
from concord.formats import read_judgments
from tests.benchmarks.factories import candidate_lines, make_criteria_set, published, write_lines
from tests.html import readable

pytestmark = pytest.mark.django_db


def test_label_studio_gets_every_rating_and_gives_it_back(tmp_path: Path, manage: Any) -> None:
    made = make_criteria_set(tmp_path)
    out = tmp_path / "tasks.json"
    answer = manage("export_judgments", "several", out, "--format", "label-studio")
    assert answer.returncode == 0, answer.stderr
    tasks = json.loads(out.read_text())
    assert len(tasks) == 12 and '"w0"' not in out.read_text()
    answer = manage("import_judgments", out, "--format", "label-studio", "--name", "again")
    assert answer.returncode == 0, answer.stderr
    again = list(storage.load_candidates(JudgmentSet.objects.get(name="again")))
    for before, after in zip(storage.load_candidates(made), again, strict=True):
        assert (after.key, after.text, after.system) == (before.key, before.text, before.system)
        assert after.instance.references == before.instance.references
        values = [
            {name: sorted(r.value for r in ratings) for name, ratings in one.ratings_by_criterion}
            for one in (before, after)
        ]
        assert values[0] == values[1]


def test_tasks_have_what_the_labelling_configuration_shows(tmp_path: Path, client: Client) -> None:
    made = published(make_criteria_set(tmp_path))
    answer = client.get("/sets/several/label-studio.xml")
    assert "several-v1-label-studio.xml" in answer["Content-Disposition"]
    view = ElementTree.fromstring(b"".join(answer.streaming_content))
    shown = {one.get("name"): one.get("value") for one in view.iter("Text")}
    controls = {one.get("name"): one for one in view.iter("Number")}
    assert list(shown.values()) == ["$passage", "$question", "$candidate"]
    assert list(controls) == ["score", "truth", "fluency"]
    assert (controls["score"].get("min"), controls["score"].get("max")) == ("1", "5")
    tasks = json.loads(b"".join(client.get("/sets/several/label-studio.json").streaming_content))
    assert len(tasks) == made.n_candidates
    for task in tasks:
        # Label Studio refuses a task without a field that the configuration shows.
        assert all(type(task["data"][value[1:]]) is str for value in shown.values())
        for annotation in task["annotations"]:
            for result in annotation["result"]:
                assert controls[result["from_name"]].get("toName") == result["to_name"] in shown
                assert controls[result["from_name"]].tag.lower() == result["type"]


def test_potato_items_are_downloaded(tmp_path: Path, client: Client) -> None:
    published(make_criteria_set(tmp_path))
    content = b"".join(client.get("/sets/several/potato.jsonl").streaming_content).decode()
    assert [json.loads(line)["id"] for line in content.splitlines()][:2] == ["c0-a", "c0-b"]
    page = str(readable(client.get("/sets/several/files/")))
    for name in ("label-studio.json", "label-studio.xml", "potato.jsonl"):
        assert f"/sets/several@1/{name}" in page


def test_an_empty_answer_goes_to_label_studio_and_back(tmp_path: Path, manage: Any) -> None:
    lines = candidate_lines(1)
    lines[0] |= {"candidate": "", "passage": ""}
    lines[1] |= {"passage": ""}
    read = read_judgments([write_lines(tmp_path / "c.jsonl", lines)], "concord")
    made = importing.import_judgments("one", read, at=now())
    config = "".join(other_tools.label_studio_configuration(made))
    assert "$passage" not in config and "$question" in config
    manage("export_judgments", "one", tmp_path / "t.json", "--format", "label-studio")
    answer = manage("import_judgments", tmp_path / "t.json", "--name", "again")
    assert answer.returncode == 0, answer.stderr
    again = storage.load_candidates(JudgmentSet.objects.get(name="again"))
    assert [one.text for one in again] == ["", lines[1]["candidate"]]


def test_potato_gets_items_and_its_ratings_come_back(tmp_path: Path, manage: Any) -> None:
    make_criteria_set(tmp_path)
    manage("export_judgments", "several", tmp_path / "items.jsonl", "--format", "potato")
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert items[0]["id"] == "c0-a" and items[0]["text"].startswith("The red 0 stood by")
    label = [{"schema": "truth", "name": "4"}, "4"]
    state = {"user_id": "r1", "instance_id_to_label_to_value": {"c0-a": [label]}}
    (tmp_path / "user_state.json").write_text(json.dumps(state))
    answer = manage(
        "import_judgments", tmp_path / "user_state.json", "--format", "potato",
        "--texts", tmp_path / "several.jsonl", "--name", "rated",
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    (candidate,) = storage.load_candidates(JudgmentSet.objects.get(name="rated"))
    assert candidate.key == "c0-a" and candidate.criteria[0].score == 4
    assert candidate.ratings == () and candidate.score is None  # of the file of texts


def test_hidden_labels_stay_hidden(tmp_path: Path) -> None:
    made = make_criteria_set(tmp_path)
    hidden.hide(made, "", at=now())
    tasks = json.loads("".join(other_tools.label_studio_tasks(made)))
    assert len(tasks) == 12 and all(task["annotations"] == [] for task in tasks)
