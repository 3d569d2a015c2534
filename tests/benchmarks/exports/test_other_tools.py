"""Judgments to and from annotation tools, by the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils.timezone import now

from benchmarks.exports.services import other_tools
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, storage
from tests.benchmarks.factories import make_criteria_set

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
    tasks = json.loads("".join(other_tools.label_studio_tasks(made, str)))
    assert len(tasks) == 12 and all(task["annotations"] == [] for task in tasks)
