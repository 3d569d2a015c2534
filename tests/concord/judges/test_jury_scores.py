"""The verdicts of a jury as scores."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main
from concord.judges import jury_scores
from concord.judges.graded_scores import cluster_folds
from concord.reliability import RatingsError
from tests.concord.judges.test_jury import graded

WEIGHTED = {"rule": "weighted", "graded": True}


def test_the_labels_of_a_passage_do_not_make_its_own_scores():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    changed = gold.copy()
    own = cluster_folds(clusters) == 3
    changed[own] = np.random.default_rng(9).normal(size=own.sum())
    before, after = (jury_scores(judges, one, clusters, **WEIGHTED) for one in (gold, changed))
    np.testing.assert_array_equal(before.values[own], after.values[own])
    assert (before.values[~own] != after.values[~own]).all()
    assert before.signature != after.signature and "fit:all in 10 folds" in before.signature


def test_every_item_has_a_score_where_some_have_labels():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    some = np.where(clusters < 30, gold, np.nan)
    assert np.isfinite(jury_scores(judges, some, clusters, **WEIGHTED).values).all()


def test_other_rules_use_no_labels_and_missing_answers_have_no_score():
    judges, gold, clusters = graded([0.5, 1.0, 3.0])
    judges["j0"][5] = np.nan
    nothing = np.full(len(gold), np.nan)
    jury = jury_scores(judges, nothing, clusters, rule="mean", graded=True)
    np.testing.assert_allclose(jury.values, np.mean(list(judges.values()), axis=0))
    assert np.isnan(jury.values[5]) and "|rule:mean|fit:none|" in jury.signature


def test_a_tie_is_a_random_label_of_those_in_the_first_place():
    votes = {"a": np.array([0.0, 1.0] * 200), "b": np.array([1.0, 1.0] * 200)}
    jury = jury_scores(votes, np.zeros(400), np.arange(400), rule="majority", graded=False)
    assert jury.ties == 200 and (jury.values[1::2] == 1).all()
    assert 70 < jury.values[::2].sum() < 130


def test_a_rule_that_counts_equal_grades_is_refused_for_many_grades():
    with pytest.raises(RatingsError, match="allow the rules mean, weighted, not majority"):
        jury_scores(*graded([1.0, 1.0]), rule="majority", graded=True)


def test_weights_need_passages():
    with pytest.raises(RatingsError, match="4 passages have labels to fit on"):
        jury_scores(*graded([1.0, 1.0], passages=4), **WEIGHTED)


@pytest.fixture
def rated(tmp_path):
    """A file of judgments of 24 passages, and one of the answers of three judges."""
    rng = np.random.default_rng(3)
    people, answers = [], []
    for k in range(96):
        grade = int(rng.integers(1, 6))
        text = {"id": f"c{k}", "passage": f"p{k // 4}", "question": "?", "candidate": f"a{k}"}
        given = {name: int(np.clip(grade + rng.integers(-1, 2), 1, 5)) for name in "uv"}
        ratings = [{"worker": name, "value": value} for name, value in given.items()]
        people.append(text | {"references": ["r"], "scale": [1, 5], "ratings": ratings})
        noisy = {f"j{n}": float(np.clip(grade + rng.normal() * n, 1, 5)) for n in (1, 2, 3)}
        answers.append({"id": f"c{k}", "scores": noisy})
    for name, rows in (("people", people), ("judges", answers)):
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return tmp_path


def output(capsys, *arguments):
    assert main([*map(str, arguments), "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_scores_of_the_command_are_read_by_the_others(rated, capsys):
    people, judges, out = (rated / name for name in ("people.jsonl", "judges.jsonl", "out.jsonl"))
    output(capsys, "jury", people, judges, "--graded", "--draws", 20, "--out", out)
    signature = json.loads((rated / "out.jsonl.signatures.json").read_text())["jury-weighted"]
    assert signature.startswith("jury|judges:j1+j2+j3|rule:weighted|fit:all in 10 folds|")
    board = output(capsys, "leaderboard", people, "--metrics", "bleu-1", "--scores", out)
    rows = {row["metric"]: row for row in board["rows"]}
    assert rows["jury-weighted"]["signature"] == signature and "bleu-1" in rows
    assert rows["jury-weighted"]["pearson"]["value"] > 0.7
    assert "jury-weighted" in output(capsys, "alt-test", people, out, "--graded")["judges"]
    (rated / "policy.toml").write_text(
        '[rules.x]\nkind = "metric"\nfiles = "people.jsonl"\nscores = "out.jsonl"\n'
        'metric = "jury-weighted"\nat_least = 0.1\n'
    )
    rule = output(capsys, "check", rated / "policy.toml")["rules"][0]
    assert rule["value"] == rows["jury-weighted"]["pearson"]["value"]


def test_verdicts_that_are_words_are_labels(tmp_path, capsys):
    items = [f"i{k}" for k in range(40)]
    people = {name: dict.fromkeys(items, "yes") for name in "uv"}
    judges = {
        name: {item: "no" if k % n == 0 else "yes" for k, item in enumerate(items)}
        for name, n in (("a", 2), ("b", 3), ("c", 5))
    }
    files = [tmp_path / "people.json", tmp_path / "judges.json", tmp_path / "out.json"]
    for path, labels in zip(files, (people, judges), strict=False):
        path.write_text(json.dumps(labels))
    options = ["--rule", "majority", "--name", "three", "--draws", 20, "--out", files[2]]
    output(capsys, "jury", *files[:2], *options)
    labels = json.loads(files[2].read_text())["three"]
    assert labels["i6"] == "no" and labels["i5"] == "yes" and len(labels) == 40
    assert "three" in output(capsys, "alt-test", files[0], files[2])["judges"]
