"""What all commands do with their output: pipes that close, and numbers that are not finite."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from concord.cli import main
from concord.cli.command import print_json

COMMANDS = [
    [sys.executable, "-m", "concord", "agreement", "FILE"],
    [sys.executable, "-m", "concord", "agreement", "FILE", "--format", "json"],
    [sys.executable, "-m", "concord", "--help"],
    [sys.executable, "-m", "scorers", "list"],
    [sys.executable, "-m", "scorers", "list", "--json"],
    [sys.executable, "manage.py", "help", "--commands"],
]


def write(path, values, **fields):
    rows = [
        {
            "id": str(k), "passage": f"p{k}", "references": ["it"], "candidate": "it",
            "ratings": [{"worker": f"w{r}", "value": value} for r, value in enumerate(of)],
            **fields,
        }
        for k, of in enumerate(values)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_ends_quietly_when_nobody_reads_its_output(tmp_path, command, capsys):
    """The reader is gone before the first line, as with `head -0`."""
    path = write(tmp_path / "a.jsonl", [(1, 2), (3, 3), (2, 5)])
    arguments = [str(path) if part == "FILE" else part for part in command]
    # What a command reads it prints to standard error, and no more when the reader is gone.
    if "concord" in command and "--help" not in command:
        main(arguments[3:])
    usual = capsys.readouterr().err
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    error = process.stderr.read().decode()
    # argparse ends in its own way: its help is written, or it is not.
    assert (process.wait(), error) == (0 if "--help" in command else 141, usual)


@pytest.mark.parametrize("value", [1e200, -1e160, 1e51])
def test_values_too_large_to_compute_with_are_named(tmp_path, capsys, value):
    path = write(tmp_path / "a.jsonl", [(1, 2), (3, value), (2, 5)])
    for form in ("table", "json"):
        assert main(["agreement", str(path), "--level", "interval", "--format", form]) == 2
        captured = capsys.readouterr()
        assert f"a.jsonl:2: ratings[1].value: is {value:g}" in captured.err
        assert captured.out == ""


def test_too_large_scores_and_criteria_are_named(tmp_path, capsys):
    path = write(tmp_path / "a.jsonl", [()] * 3, score=-1e99)
    assert main(["agreement", str(path)]) == 2
    assert "a.jsonl:1: score: is -1e+99; numbers from -1e+50 to 1e+50" in capsys.readouterr().err
    path = write(tmp_path / "b.jsonl", [()], criteria={"truth": {"score": 1e60}})
    assert main(["agreement", str(path)]) == 2
    assert "b.jsonl:1: criteria.truth.score: is 1e+60" in capsys.readouterr().err
    scores = tmp_path / "scores.jsonl"
    scores.write_text(json.dumps({"id": "0", "scores": {"m": 1e60}}) + "\n")
    path = write(tmp_path / "c.jsonl", [(1, 2)])
    assert main(["estimate", str(path), "--scores", str(scores)]) == 2
    assert "scores.jsonl:1: scores.m: is 1e+60" in capsys.readouterr().err


def test_the_largest_values_give_finite_figures(tmp_path, capsys):
    values = [(1e50, -1e50), (1e50, 1e50), (-1e50, 0), (3, 4)] * 5
    path = write(tmp_path / "a.jsonl", values)
    for level in ("interval", "ordinal", "nominal"):
        assert main(["agreement", str(path), "--level", level, "--format", "json"]) == 0
        assert -1 <= json.loads(capsys.readouterr().out)["alpha"] <= 1


def test_a_number_that_is_not_finite_is_named(capsys):
    with pytest.raises(ValueError, match=r"computed for a\.b\[1\], c: values of the file"):
        print_json({"a": {"b": [1.0, float("nan")]}, "c": float("inf"), "d": None})
    assert capsys.readouterr().out == ""


def write_scores(path, scores):
    path.write_text(
        "".join(json.dumps({"id": key, "scores": of}) + "\n" for key, of in scores.items())
    )
    return path


def test_missing_scores_are_named_with_file_and_ids(tmp_path, capsys):
    path = write(tmp_path / "a.jsonl", [(1, 2)] * 12)
    scores = write_scores(tmp_path / "s.jsonl", {f"x{k}": {"m": k} for k in range(7)})
    for command in ("estimate", "replay"):
        assert main([command, str(path), "--scores", str(scores)]) == 2
        assert (
            's.jsonl: the metric \'m\' has no score for 12 of 12 candidates, such as "0", "1", '
            '"2"; its id "x0" is of none; score every candidate'
        ) in capsys.readouterr().err


def test_a_leaderboard_of_few_passages_has_no_interval_and_says_why(tmp_path, capsys):
    """Fisher's z would take the 24 candidates as independent."""
    for passages in (1, 3, 9):
        rows = [
            {
                "id": str(k), "passage": f"p{k % passages}", "references": ["a b c"],
                "candidate": "a b c"[: 1 + k % 5], "score": 1 + k * 7 % 5,
            }
            for k in range(24)
        ]  # fmt: skip
        path = tmp_path / f"{passages}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert main(["leaderboard", str(path), "--metrics", "token-f1"]) == 0
        out = capsys.readouterr().out
        name = "passage" if passages == 1 else "passages"
        assert f"No interval: {passages} {name}; at least 10 are needed." in out
        (row,) = [line for line in out.splitlines() if line.strip().startswith("token-f1")]
        assert "undefined" not in row and " to " not in row


def test_kept_ratings_and_those_that_alpha_counts_are_told_apart(tmp_path, capsys):
    values = [(1, 2, 5), (3, 3, 3), (2, 5, 5), (1, 5, 3)] * 5
    path = write(tmp_path / "a.jsonl", values)
    command = ["agreement", str(path), "--filter", "zscore:1:5"]
    assert main([*command, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ratings"] < report["kept"]
    assert main(command) == 0
    out = capsys.readouterr().out
    alone = report["kept"] - report["ratings"]
    assert f"Alpha counts {report['ratings']} of them: {alone} are alone in their unit." in out


def test_a_judge_named_random_is_told_from_the_baseline(tmp_path, capsys):
    rng = np.random.default_rng(1)
    people = {f"w{r}": {str(k): int(rng.integers(0, 2)) for k in range(40)} for r in range(3)}
    for name, labels in (("human", people), ("judges", {"random": people["w0"]})):
        (tmp_path / f"{name}.json").write_text(json.dumps(labels))
    paths = [str(tmp_path / "human.json"), str(tmp_path / "judges.json")]
    assert main(["alt-test", *paths, "--draws", "20"]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = [line.split("  ")[0].strip() for line in lines if "random" in line and ":" in line[:12]]
    assert "baseline: random" in named
    assert sum(line.strip().startswith("random ") for line in lines) == 1
