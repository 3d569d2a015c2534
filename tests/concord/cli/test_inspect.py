"""`concord inspect`, `concord convert`, and `--recipe` of commands that read judgments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from concord.cli import main
from concord.formats import ALL_FORMATS, ReadOptions, read_judgments, read_pairs
from tests.concord.formats.format_examples import FILES, OPTIONS
from tests.concord.formats.recipe_examples import MQM_TSV, MTURK, QAGS, RATINGS_LONG

RECIPE = 'name = "mine"\n[fields]\nid = "item"\n[ratings]\ncolumns = "by {who}"\nworker = "{who}"\n'
ROWS = "item,by ann,by bob,note\n1,4,5,x\n2,1,,y\n"


def write(path: Path, content: object) -> Path:
    if not isinstance(content, str):
        lines = content if path.suffix == ".jsonl" and isinstance(content, list) else [content]
        content = "".join(json.dumps(line) + "\n" for line in lines)
    path.write_text(content)
    return path


def test_inspect_says_what_was_understood(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "long.csv", RATINGS_LONG)
    assert main(["inspect", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["recipe"] == "ratings-long" and found["fits"] == ["ratings-long"]
    assert found["columns"]["answer"] == "candidate" and found["ignored"] == ["minutes"]
    assert found["counts"] == {
        "instances": 2, "candidates": 2, "pairs": 0, "systems": 2, "raters": 2, "criteria": 2,
        "ratings": 3, "missing": 1, "ties": 0,
    }  # fmt: skip
    assert found["first"][0]["candidate"] == "So." and len(found["first"]) == 2
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "judgments, read as ratings-long" in printed and "minutes" in printed


def test_inspect_says_which_recipe_nearly_fits_and_why_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "mqm.csv", MQM_TSV.replace("severity", "weight", 1))
    assert main(["inspect", str(path)]) == 2
    error = capsys.readouterr().err
    assert "The recipe mqm-tsv nearly fits; the file has no severity." in error


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_inspect_reads_every_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, format: str
) -> None:
    name, content = FILES[kind, format]
    path = write(tmp_path / name, content)
    named = f"{format}-pairs" if kind == "pairs" else format
    named = named if named in ALL_FORMATS else format
    options = OPTIONS.get(format)
    command = ["inspect", str(path), "--format", "json", "--from", named]
    command += ["--texts", options.texts] if options and options.texts else []
    command += ["--criterion", options.criterion] if options and options.criterion else []
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["kind"] == kind and found["counts"]["candidates"] >= 1


def test_inspect_recognises_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for format in ("concord", "lfqa", "mt-bench"):
        name, content = FILES["pairs", format]
        path = write(tmp_path / name, content)
        assert main(["inspect", str(path), "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["kind"], found["recipe"]) == ("pairs", format)


def test_files_of_error_spans_are_recognised_without_a_header(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "esa.csv", FILES["judgments", "esa"][1])
    assert main(["inspect", str(path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["recipe"] == "esa"


def test_pairs_are_no_judgments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for format in ("concord", "mt-bench"):
        name, content = FILES["pairs", format]
        assert main(["agreement", str(write(tmp_path / name, content))]) == 2
        assert "pairs" in capsys.readouterr().err


def test_a_recipe_of_ones_own_is_read_by_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = write(tmp_path / "mine.toml", RECIPE)
    path = write(tmp_path / "rows.csv", ROWS)
    out = tmp_path / "out.jsonl"
    command = ["convert", str(path), "--recipe", str(recipe), "--to", "concord", "--out", str(out)]
    assert main(command) == 0
    file = read_judgments([out], "concord", ReadOptions(without_references=True))
    assert [[r.worker for r in one.ratings] for one in file.candidates] == [["ann", "bob"], ["ann"]]
    assert main(["agreement", str(path), "--recipe", str(recipe), "--format", "json"]) == 0
    report = capsys.readouterr()
    assert json.loads(report.out)["file"] == "rows.csv" and "Ignored: note." in report.err
    assert main(["agreement", str(path), "--recipe", str(recipe), "--from", "table"]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_a_recipe_in_the_box_is_recognised_by_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "q.jsonl", QAGS)
    assert main(["agreement", str(path), "--level", "nominal", "--format", "json"]) == 0
    assert "(qags): 2 candidates." in capsys.readouterr().err
    path = write(tmp_path / "mturk.csv", MTURK)
    assert main(["agreement", str(path), "--criterion", "fluency", "--recipe", "mturk"]) == 0


def test_convert_writes_pairs_as_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "votes.json", FILES["pairs", "mt-bench"][1])
    out = tmp_path / "out.jsonl"
    command = ["convert", str(path), "--out", str(out)]
    assert main([*command, "--to", "concord"]) == 2
    assert "the file has pairs; write --to concord-pairs" in capsys.readouterr().err
    assert main([*command, "--to", "concord-pairs"]) == 0
    original, again = (read_pairs([one], name).pairs
                       for one, name in ((path, "mt-bench"), (out, "concord")))  # fmt: skip
    assert [pair.choices for pair in original] == [pair.choices for pair in again]
