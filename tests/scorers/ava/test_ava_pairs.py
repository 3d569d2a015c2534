"""The command `pairs`: AVA's constructed pairs, and the counts of its Table 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from concord.formats import ReadOptions, read_judgments
from scorers.cli import main
from scorers.datasets.judgments import read_judgments as read_for_training
from scorers.datasets.selection import read_questions
from tests import real_data

QUESTIONS = {
    "who?": (("a", 1), ("b", 1), ("c", 1), ("x", 0)),
    "when?": (("d", 1), ("e", 1), ("y", 0), ("z", 0)),
    "where?": (("f", 1), ("x", 0)),
    "why?": (("g", 0),),
}


def selection(path: Path, questions: dict[str, tuple[tuple[str, int], ...]] = QUESTIONS) -> Path:
    lines = [f"{question}\t{text}\t{label}" for question, some in questions.items()
             for text, label in some]  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    return path


def test_pairs_and_counts_are_those_of_section_4_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = selection(tmp_path / "s.tsv"), tmp_path / "pairs.jsonl"
    assert (
        main(["pairs", "--train", f"tsv:{file}", "--test", f"tsv:{file}", "--out", str(out)]) == 0
    )
    # Two questions have several answers: 3 * 2 + 2 * 1 positives, 3 * 1 + 2 * 2 negatives.
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    assert rows[2:] == [["train", "4", "6", "5", "2", "5", "3", "8", "7", "15"],
                        ["test", "4", "6", "5", "2", "5", "3", "8", "7", "15"]]  # fmt: skip
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    positives = {
        (one["question"], one["references"][0], one["candidate"])
        for one in lines
        if one["split"] == "train" and one["score"] == 1
    }
    who = {("who?", r, t) for r in "abc" for t in "abc" if r != t}
    assert positives == who | {("when?", "d", "e"), ("when?", "e", "d")}
    assert len({one["id"] for one in lines}) == len(lines) == 30


def test_the_file_is_imported_and_trained_on(tmp_path: Path) -> None:
    file, out = selection(tmp_path / "s.tsv"), tmp_path / "pairs.jsonl"
    assert main(["pairs", "--dev", f"tsv:{file}", "--out", str(out)]) == 0
    read = read_judgments([out], "concord", ReadOptions())
    assert len(read.candidates) == 15 and read.report.gold_given == 15
    judgments = read_for_training(out, "concord")
    assert {one.group for one in judgments} == {"who?", "when?"}
    assert {one.split for one in judgments} == {"dev"}


def test_the_seed_draws_at_most_the_maximum(tmp_path: Path) -> None:
    file, outs = selection(tmp_path / "s.tsv"), [tmp_path / f"{k}.jsonl" for k in range(3)]
    for out, seed in zip(outs, ("1", "1", "2"), strict=True):
        arguments = ["pairs", "--train", f"tsv:{file}", "--most", "2", "--seed", seed]
        assert main([*arguments, "--out", str(out)]) == 0
    texts = [out.read_text() for out in outs]
    assert texts[0] == texts[1] != texts[2]
    assert len(texts[0].splitlines()) == 8


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--train", "tsv:missing.tsv"], 2, "missing.tsv"),
        (["--train", "moon:s.tsv"], 1, "must be FORMAT:FILE"),
        ([], 1, "no file: add"),
        (["--train", "tsv:s.tsv", "--most", "0"], 1, "must be above 0"),
        (["--train", "tsv:s.tsv", "--test", "tsv:bad.tsv"], 2, "bad.tsv, line 2"),
    ],
)
def test_errors_name_the_fault_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    arguments: list[str], code: int, message: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    selection(tmp_path / "s.tsv")
    (tmp_path / "bad.tsv").write_text("q\ta\t1\nq\tb\tperhaps\n")
    out = tmp_path / "pairs.jsonl"
    out.write_text("what was there")
    assert main(["pairs", *arguments, "--out", str(out)]) == code
    assert message in capsys.readouterr().err
    assert out.read_text() == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.tsv", "pairs.jsonl", "s.tsv"]


def test_on_trec_qa_the_counts_are_those_of_its_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = real_data.path("trecqa/DEV.xml")
    out = tmp_path / "pairs.jsonl"
    assert main(["pairs", "--dev", f"trecqa:{file}", "--out", str(out)]) == 0
    sizes = [(len(one.correct), len(one.wrong)) for one in read_questions(file, "trecqa")]
    positives = sum(c * (c - 1) for c, _ in sizes)
    negatives = sum(c * w for c, w in sizes if c > 1)
    cells = capsys.readouterr().out.splitlines()[-1].strip("| ").replace(",", "").split(" | ")
    assert cells[1:3] == ["81", "222"] and cells[4] == "49"
    assert cells[7:] == [str(positives), str(negatives), str(positives + negatives)]
    assert sum(1 for _ in out.open()) == positives + negatives
