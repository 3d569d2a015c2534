"""What all commands do with their output: pipes that close, and numbers that are not finite."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from concord.cli import main
from concord.cli.tables import print_json

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
def test_a_command_ends_quietly_when_nobody_reads_its_output(tmp_path, command):
    """The reader is gone before the first line, as with `head -0`."""
    path = write(tmp_path / "a.jsonl", [(1, 2), (3, 3), (2, 5)])
    arguments = [str(path) if part == "FILE" else part for part in command]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    error = process.stderr.read().decode()
    # argparse ends in its own way: its help is written, or it is not.
    assert (process.wait(), error) == (0 if "--help" in command else 141, "")


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
