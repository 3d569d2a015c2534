"""Boards say where a metric that was trained on judgments was trained on theirs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from benchmarks.analyses.leaderboards import leaderboard
from scorers.ava.training import train_ava
from scorers.datasets.judgments import Split
from scorers.learned.settings import TrainingSettings
from scorers.learned.training import TrainingFiles, TrainingRecipe
from scorers.learned.trials import TrainingRun
from tests.benchmarks.factories import candidate_lines, make_set, score_here, write_lines

pytestmark = pytest.mark.django_db


def trained(folder: Path, lines: list[dict]) -> str:
    """The name of AVA's linear classifier, trained on some judgments."""
    data = write_lines(folder / "trained-on.jsonl", lines)
    out = folder / "judge"
    run = TrainingRun(out, TrainingSettings(), (1e-3,), (1,))
    train_ava(
        TrainingFiles([(data, "concord")]),
        run,
        None,
        recipe=TrainingRecipe(split=Split(dev=0.3, seed=2)),
    )
    return f"ava(checkpoint={out})"


def board(judgment_set, by=None) -> dict:
    return {row["group"]: row["training"] for row in leaderboard(judgment_set, by).rows}


def renamed(lines: list[dict], constituents: tuple[str, ...]) -> list[dict]:
    """The lines whose constituent is one of these, under other names and ids, no split stated."""
    return [
        {**line, "id": f"x{at}", "constituent": "elsewhere", "split": ""}
        for at, line in enumerate(lines)
        if line["constituent"] in constituents
    ]


def test_a_metric_trained_on_a_split_never_stands_on_its_board_unmarked(tmp_path, client):
    lines = candidate_lines(30)
    judged = make_set(tmp_path, instances=30)
    metric = trained(tmp_path, renamed(lines, ("stories", "facts")))
    score_here(judged, metric)
    assert board(judged) == {
        None: {
            "setting": "AD", "items": 60, "answered": 60, "asked": 60, "share": 1.0, "known": True,
        }
    }  # fmt: skip
    assert board(judged, "split")["test"]["share"] == 1.0
    page = client.get(f"/sets/{judged}/leaderboard/?by=split").content.decode()
    assert page.count("trained on 100") == 3 and ">AD</abbr>" in page
    (values,) = csv.DictReader(io.StringIO(leaderboard(judged).document.to_csv()))
    assert (values["training_setting"], values["trained_on"]) == ("AD", "1.0")


def test_each_figure_says_which_setting_it_is_from(tmp_path, client):
    lines = candidate_lines(30)
    judged = make_set(tmp_path, instances=30)
    score_here(judged, trained(tmp_path, renamed(lines, ("facts",))))
    by_constituent = board(judged, "constituent")
    assert by_constituent["stories"]["setting"] == "OOD" and by_constituent["stories"]["asked"] == 0
    assert by_constituent["facts"]["setting"] == "AD" and by_constituent["facts"]["share"] == 1.0
    assert board(judged)[None]["setting"] == "mixed" and board(judged)[None]["share"] == 0.5
    (run,) = judged.runs.all()
    page = " ".join(client.get(f"/sets/{judged}/runs/{run.pk}/").content.decode().split())
    assert "trained on 30 of these 60 candidates" in page


def test_a_constituent_is_known_by_its_name_where_its_test_split_was_not_trained_on(tmp_path):
    lines = [line for line in candidate_lines(60) if line["split"] != "test"]
    other = [{**line, "question": f"{line['question']} Say!", "split": ""} for line in lines]
    judged = make_set(tmp_path, instances=30)
    score_here(judged, trained(tmp_path, other))
    assert board(judged)[None]["setting"] == "AD"
    assert board(judged)[None]["share"] == 0.0


def test_untrained_metrics_and_vanished_checkpoints_are_told_apart(tmp_path, client):
    judged = make_set(tmp_path, instances=30)
    metric = trained(tmp_path, renamed(candidate_lines(30), ("facts",)))
    score_here(judged, f"{metric},token-f1")
    (tmp_path / "judge" / "training_items.npy").unlink()
    judged.runs.update(statistics=None)
    by_metric = {row["metric"]: row for row in leaderboard(judged).rows}
    assert "training" not in by_metric["token-f1"]
    assert by_metric[metric]["training"]["known"] is False
    assert by_metric[metric]["training"]["setting"] is None
    assert "training data unknown" in client.get(f"/sets/{judged}/leaderboard/").content.decode()
    json.dumps(leaderboard(judged).document.to_json(), allow_nan=False)
