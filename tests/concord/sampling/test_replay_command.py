"""`concord replay --rule`: its table, its JSON, and its errors."""

from __future__ import annotations

import json

import numpy as np
import pytest

from concord.cli import main


@pytest.fixture
def files(tmp_path):
    """200 questions to two systems, all rated, and one good metric."""
    rng = np.random.default_rng(1)
    judgments, scores = tmp_path / "judgments.jsonl", tmp_path / "scores.jsonl"
    lines, rows = [], []
    for question in range(200):
        for number, system in enumerate(("small", "large")):
            value = float(np.clip(np.round(3 + 0.7 * number + rng.normal(0, 1)), 1, 5))
            key = f"{question}-{system}"
            line = {"id": key, "question": f"What is {question}?", "references": ["it"]}
            line |= {"candidate": "that", "system": system, "scale": [1, 5], "score": value}
            lines.append(line)
            rows.append({"id": key, "scores": {"good": value + rng.normal(0, 0.4)}})
    judgments.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return ["replay", str(judgments), "--scores", str(scores), "--draws", "6"]


def test_json_has_the_design_and_a_row_for_each_rule(files, capsys):
    arguments = ["--rule", "stratified", "--target", "width:0.5", "--budget", "150"]
    arguments += ["--format", "json"]
    assert main([*files, *arguments]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["rule"]["name"] == "stratified" and report["rule"]["aim"] == "mean"
    assert report["target"] == {"kind": "width", "value": 0.5, "budget": 150}
    assert (report["units"], report["wave"], report["systems"]) == (200, 10, ["large", "small"])
    assert [row["rule"] for row in report["rows"]] == ["plain mean", "uniform", "stratified"]
    assert report["rows"][1]["saving"] > 1.5
    again = main([*files, *arguments])
    assert again == 0 and json.loads(capsys.readouterr().out) == report


def test_the_table_compares_with_the_plain_mean(files, capsys):
    assert main([*files, "--rule", "stratified", "--draws", "3"]) == 0
    out = capsys.readouterr().out
    assert "plain mean takes" in out and "stratified" in out and "target ranking 0.05" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rule", "stratified", "--target", "length:3"], "'length:3' is not a target"),
        (["--rule", "stratified", "--target", "width:wide"], "'width:wide' is not a target"),
        (["--rule", "stratified", "--target", "width:-1"], "a width must be above 0"),
        (["--rule", "stratified", "--aim", "difference"], "the aim 'difference' needs two systems"),
        (["--rule", "stratified", "--aim", "difference", "--pair", "a,b"], "no system 'a'"),
        (["--rule", "stratified", "--uniform-share", "0"], "uniform_share must be from 0.2 to 1"),
        (["--rule", "uniform", "--passages", "20"], "--passages and --method have no meaning"),
    ],
)
def test_faulty_options_are_named(files, capsys, arguments, message):
    assert main([*files, *arguments]) == 2
    assert message in capsys.readouterr().err
