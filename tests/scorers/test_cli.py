"""The command line: python -m scorers."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest

from scorers import cli, names, parse_metrics
from scorers.datasets.selection import read_questions
from tests.waiting import wait_for

GOOD = [
    {"id": "a", "references": ["the cat sat"], "candidate": "the cat sat down"},
    {"id": "b", "references": ["yes", "it is"], "candidate": ""},
]


def write(path: Path, rows: Sequence[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(*arguments: object) -> int:
    return cli.main([str(argument) for argument in arguments])


def test_the_list_names_every_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    # Indented lines are about the checkpoints of the metric above.
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == names()
    assert [line.split()[0] for line in lines if "Lower is better" in line] == ["ter"]


def test_the_json_list_describes_each_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--json") == 0
    metrics = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert list(metrics) == names()
    assert metrics["ter"]["range"] == [0.0, None] and not metrics["ter"]["higher_is_better"]
    assert metrics["cider"]["set_dependent"] and metrics["bleu-1"]["options"] == {"tokens": "ptb"}


def test_the_list_explains_each_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "--json") == 0
    for entry in json.loads(capsys.readouterr().out):
        assert entry["option_help"].keys() == entry["options"].keys()
        missing = [name for name, text in entry["option_help"].items() if not text]
        assert not missing, entry["name"]
    assert run("list", "rouge-l-kpqa", "ter") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [
        "rouge-l-kpqa",
        "ter",
    ]
    assert "  form=bounded" in lines
    assert "longest" in lines[lines.index("  form=bounded") + 2]


def test_the_list_rejects_an_unknown_metric(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", "rouge-k") == 2
    assert "there is no metric 'rouge-k'" in capsys.readouterr().err


def test_scores_and_signatures_are_written(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    metrics = "exact-match,google-rouge-1(stem=true),cider"
    source = write(tmp_path / "in.jsonl", GOOD)
    assert run("score", source, "--metrics", metrics, "--out", out, "--device", "cpu") == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["a", "b"]
    assert list(rows[0]["scores"]) == ["exact-match", "google-rouge-1(stem=true)", "cider"]
    assert rows[1]["scores"]["exact-match"] == 0.0
    signatures = json.loads((tmp_path / "out.jsonl.signatures.json").read_text())
    assert list(signatures) == list(rows[0]["scores"])
    assert signatures["exact-match"] == "exact-match|refs:max|version:1"
    assert "|corpus:" in signatures["cider"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in.jsonl",
        "out.jsonl",
        "out.jsonl.signatures.json",
    ]


def test_the_option_for_joint_references(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    source = write(tmp_path / "in.jsonl", GOOD)
    assert run("score", source, "--metrics", "chrf", "--multi-ref", "joint", "--out", out) == 0
    assert "|refs:joint|" in (tmp_path / "out.jsonl.signatures.json").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 2: is not JSON"),
        (b"[" * 100_000, "line 2: is not JSON"),
        (b"[]", "line 2: must be a JSON object"),
        (b'{"id": "\xff"}', "line 2: is not UTF-8"),
        (b'{"references": ["a"], "candidate": "a"}', "line 2, field id: must be a string"),
        (b'{"id": true, "references": ["a"], "candidate": "a"}', "line 2, field id: must be"),
        (b'{"id": "a", "references": ["a"], "candidate": "a"}', "line 2, field id: 'a' occurs"),
        (b'{"id": "x", "references": [], "candidate": "a"}', "line 2, field references: must be"),
        (b'{"id": "x", "references": "a", "candidate": "a"}', "line 2, field references: must be"),
        (b'{"id": "x", "references": [1], "candidate": "a"}', "references: must contain only str"),
        (b'{"id": "x", "references": ["a"]}', "line 2, field candidate: is missing"),
        (b'{"id": "x", "references": ["a"], "candidate": 1}', "field candidate: must be a string"),
        (
            b'{"id": "x", "references": ["a"], "candidate": "a", "question": 1}',
            "field question: must be a string",
        ),
    ],
)
def test_an_error_names_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, message: str
) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(json.dumps(GOOD[0]).encode() + b"\n" + line + b"\n")
    assert run("score", source, "--metrics", "chrf", "--out", tmp_path / "out.jsonl") == 2
    error = capsys.readouterr().err
    assert f"{source}, {message}" in error or message in error
    assert not (tmp_path / "out.jsonl").exists()


def test_the_first_twenty_problems_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write(tmp_path / "in.jsonl", [{"id": i} for i in range(50)])
    assert run("score", source, "--metrics", "chrf", "--out", tmp_path / "out.jsonl") == 2
    assert len(capsys.readouterr().err.splitlines()) == 20


@pytest.mark.parametrize(
    ("metrics", "source", "out", "message"),
    [
        ("chrg", "in.jsonl", "out.jsonl", "did you mean chrf"),
        ("chrf", "missing.jsonl", "out.jsonl", "missing.jsonl: No such file"),
        ("chrf", ".", "out.jsonl", "Is a directory"),
        ("chrf", "empty.jsonl", "out.jsonl", "no candidates"),
        ("chrf", "in.jsonl", "nowhere/out.jsonl", "there is no folder"),
    ],
)
def test_command_line_errors_are_explained(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    metrics: str,
    source: str,
    out: str,
    message: str,
) -> None:
    write(tmp_path / "in.jsonl", GOOD)
    (tmp_path / "empty.jsonl").write_text("\n\n")
    code = run("score", tmp_path / source, "--metrics", metrics, "--out", tmp_path / out)
    assert code == 2
    assert message in capsys.readouterr().err


def test_an_interrupt_ends_the_command(tmp_path: Path) -> None:
    rows = [{"id": i, "references": ["a b c"], "candidate": f"a b {i}"} for i in range(200_000)]
    source, out = write(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "scorers", "score", str(source), "--out", str(out)]
    process = subprocess.Popen(
        [*command, "--metrics", "bleu-1,meteor"], stderr=subprocess.PIPE, text=True
    )
    owner = psutil.Process(process.pid)
    wait_for(owner.children)
    helpers = owner.children()
    os.kill(process.pid, signal.SIGINT)
    error = process.communicate(timeout=300)[1]
    assert process.returncode == 130
    assert "interrupted" in error and "Traceback" not in error
    assert psutil.wait_procs(helpers, timeout=120)[1] == []
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_answers_are_labelled_and_ava_is_trained_on_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {
            "id": f"{number}-{at}",
            "question": f"What did ship {number} bring?",
            "references": [f"It brought {word}."],
            "candidate": answer,
        }
        for number, word in enumerate(("salt", "wool", "coal", "fish", "wine", "silk"))
        for at, answer in enumerate((f"Ship {number} brought {word}.", f"{word}, it was", "Nobody"))
    ]
    rows.append({"id": "none", "question": "Why?", "references": ["a"], "candidate": " "})
    source, out = write(tmp_path / "in.jsonl", rows), tmp_path / "out.tsv"
    command = ("label", source, "--metric", "ava", "--device", "cpu", "--out", out)
    assert run(*command) == 0
    assert "18 answers" in capsys.readouterr().out
    table = [line.split("\t") for line in out.read_text().splitlines()]
    assert len(table) == 19 and {row[6] for row in table[1:]} == {
        parse_metrics("ava", "joint")[0].signature()
    }
    median = sorted(float(row[3]) for row in table[1:])[6]
    assert run(*command, "--threshold", median) == 0
    questions = read_questions(out, "tsv")
    assert sum(len(one.correct) for one in questions) == 12
    trained = tmp_path / "mine"
    small = ("--design", "linear", "--dev-share", "0.3", "--split-seed", "2")
    assert run("train", "ava", "--data", f"tsv:{out}", *small, "--out", trained) == 0
    assert run("label", source, "--metric", f"ava(checkpoint={trained})", "--out", out) == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--metric", "lerc"), "--metric must be ava or the name of an AVA checkpoint, not 'lerc'"),
        (("--threshold", "2"), "the threshold must be from 0 to 1, not 2.0"),
        ((), "line 1, field question: is missing"),
    ],
)
def test_the_label_command_reports_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    source = write(tmp_path / "in.jsonl", GOOD)
    assert run("label", source, "--out", tmp_path / "out.tsv", *more) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.tsv").exists()
