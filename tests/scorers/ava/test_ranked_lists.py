"""Ranked lists of answer selection sets as judgments for AVA's Tables 5 and 7."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bench import ava_tables, ranked_lists
from scorers.datasets.judgments import read_judgments

SET = """\
question\tsentence\tlabel
q one\ta\t1
q one\tb\t0
q one\tc\t1
q two\td\t0
q two\te\t1
q three\tf\t1
q three\tg\t0
q three\th\t1
"""
# Average precision by hand: good (1 + (1 + 2/3) / 2) / 2; bad (1/2 + 2/3) / 2 for both questions.
RUNS = """\
1 Q0 1 1 0.9 good
1 Q0 2 3 0.1 good
1 Q0 3 2 0.8 good
2 Q0 1 1 1.0 good
3 Q0 1 1 7 good
3 Q0 2 2 6 good
3 Q0 3 3 5 good
1 Q0 2 1 0.9 bad
1 Q0 1 2 0.5 bad
1 Q0 3 3 0.5 bad
3 Q0 2 1 9 bad
3 Q0 1 2 8 bad
3 Q0 3 3 7 bad
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, Path, Path]:
    (tmp_path / "set.tsv").write_text(SET)
    (tmp_path / "runs.txt").write_text(RUNS)
    return f"tsv:{tmp_path / 'set.tsv'}", tmp_path / "runs.txt", tmp_path / "out.jsonl"


def test_ranked_lists_become_the_file_of_the_tables(
    files: tuple[str, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    of_set, runs, out = files
    ranked_lists.main([of_set, str(runs), "--out", str(out)])
    assert "12 judgments of 2 systems. 2 of 3 questions count" in capsys.readouterr().out
    judged = read_judgments(out, "concord")
    first = [one.candidate for one in judged if one.system == "good" and one.group == "q one"]
    assert first == ["a", "c", "b"], "in the order of the scores"
    (one,) = [one for one in judged if one.candidate == "a" and one.system == "good"]
    assert one.references == ("c",) and one.gold == 1.0
    assert {one.references for one in judged if one.candidate == "b"} == {("a", "c")}
    assert ava_tables.counted_judgments(judged) == judged
    sample = ava_tables.make_sample(judged, np.array([one.gold for one in judged]))
    table = {
        row.split(" | ")[0].strip("| "): row.split(" | ")[1:3]
        for row in ava_tables.system_table(sample, 0.5).splitlines()
    }
    assert table["P@1, people"] == ["0.000", "1.000"]
    assert table["MAP, people"] == ["0.583", "0.917"]
    assert table["MRR, people"] == ["0.500", "1.000"]
    assert table["MAP, AVA"] == table["MAP, people"]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("4 Q0 1 1 0.9 x", "line 1: the set has 3 questions, no 4"),
        ("0 Q0 1 1 0.9 x", "line 1: the set has 3 questions, no 0"),
        ("1 Q0 4 1 0.9 x", "line 1: question 1 has 3 sentences, no 4"),
        ("1 Q0 1 1 0.9", "line 1: has 5 columns, not QUESTION Q0"),
        ("1 Q0 1 1 nan x", "line 1: RANK and SCORE must be finite"),
        ("one Q0 1 1 0.9 x", "line 1: QUESTION, SENTENCE, RANK and SCORE must be numbers"),
        ("1 Q0 1 1 0.9 x\n1 Q0 1 2 0.8 x", "line 2: x ranks sentence 1 of question 1 twice"),
    ],
)
def test_an_invalid_run_is_refused_by_its_line_and_nothing_is_written(
    files: tuple[str, Path, Path], capsys: pytest.CaptureFixture[str], line: str, problem: str
) -> None:
    of_set, runs, out = files
    runs.write_text(line)
    with pytest.raises(SystemExit):
        ranked_lists.main([of_set, str(runs), "--out", str(out)])
    assert problem in capsys.readouterr().err and not out.exists()


def test_an_unknown_set_is_refused(files: tuple[str, Path, Path]) -> None:
    with pytest.raises(SystemExit):
        ranked_lists.main(["squad:x", str(files[1]), "--out", str(files[2])])


@pytest.mark.parametrize(("part", "counted"), [("DEV", 46), ("TEST", 52)])
def test_trecqas_questions_are_those_of_the_papers_tables(
    concord_data: Path, tmp_path: Path, part: str, counted: int
) -> None:
    """The printed P@1 are multiples of 1/46 and 1/52. The run ranks by the length of a sentence."""
    path = concord_data / "trecqa" / f"{part}.xml"
    questions = ranked_lists.read_set(path, "trecqa")
    runs, out = tmp_path / "length.txt", tmp_path / "out.jsonl"
    runs.write_text(
        "".join(
            f"{q} Q0 {s} 0 {len(row.sentence)} length\n"
            for q, rows in enumerate(questions, 1)
            for s, row in enumerate(rows, 1)
        )
    )
    ranked_lists.main([f"trecqa:{path}", str(runs), "--out", str(out)])
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    sizes = Counter(line["question"] for line in lines)
    assert len(sizes) == counted
    assert all(sizes[rows[0].question] in (0, len(rows)) for rows in questions)
    judged = read_judgments(out, "concord")
    assert len({one.group for one in ava_tables.counted_judgments(judged)}) == counted
