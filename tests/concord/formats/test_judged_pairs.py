"""Pairs that people judged: the formats lfqa and llmbar, and `ratings` of concord-pairs."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from concord.formats import (
    FormatError,
    ReadOptions,
    read_pairs,
    write_pairs,
    write_pairs_parquet,
)
from concord.formats.preferences import preferences_of
from concord.formats.records import ChoiceRecord, PairRecord
from tests import real_data
from tests.concord.formats.format_examples import LFQA, LLMBAR

LINE: dict[str, Any] = {
    "id": "p1",
    "instance": "i1",
    "question": "Why?",
    "references": ["so"],
    "id1": "a-1",
    "system1": "a",
    "candidate1": "so it is",
    "id2": "b-1",
    "system2": "b",
    "candidate2": "no",
    "ratings": [
        {"worker": "w1", "choice": 1, "first_shown": 2, "group": "crowd"},
        {"worker": "w2", "choice": "tie", "simulated": True, "hard": True},
    ],
}


def read(tmp_path: Path, *rows: dict[str, Any], **options: Any) -> list[PairRecord]:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_pairs([path], "concord", ReadOptions(**options)).pairs


def test_choices_are_read_and_scores_are_optional(tmp_path: Path) -> None:
    (pair,) = read(tmp_path, LINE)
    assert (pair.systems, pair.candidate_keys) == (("a", "b"), ("a-1", "b-1"))
    assert (pair.score1, pair.score2) == (None, None)
    assert pair.choices == (
        ChoiceRecord("w1", 1, 2, "crowd"),
        ChoiceRecord("w2", "tie", None, "", True, True),
    )
    (scored,) = read(tmp_path, LINE | {"score1": 1, "score2": 4})
    assert (scored.score1, scored.score2) == (1, 4)
    (bare,) = read(tmp_path, LINE | {"references": []})
    assert bare.instance.references == ()


def test_pairs_are_the_same_after_writing(tmp_path: Path) -> None:
    pairs = read(tmp_path, LINE, LINE | {"id": "p2", "score2": 3, "scale": [1, 5]})
    text = io.StringIO()
    write_pairs(text, pairs, (1, 5))
    (tmp_path / "again.jsonl").write_text(text.getvalue())
    write_pairs_parquet(tmp_path / "again.parquet", pairs, (1, 5))
    for name in ("again.jsonl", "again.parquet"):
        assert read_pairs([tmp_path / name], "concord").pairs == pairs


def test_both_bad_is_a_tie_that_is_kept_apart(tmp_path: Path) -> None:
    answers = ["both_bad", "tie (bothbad)", "A=B", None]
    ratings = [{"worker": f"w{k}", "choice": answer} for k, answer in enumerate(answers)]
    rows = [LINE | {"ratings": ratings}, LINE | {"id": "p2", "ratings": ratings[3:]}]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = read_pairs([tmp_path / "in.jsonl"], "concord")
    (pair,) = file.pairs
    assert [one.choice for one in pair.choices] == ["tie"] * 3
    assert [one.is_both_bad for one in pair.choices] == [True, True, False]
    assert (file.report.read, file.report.kept, file.report.invalid_choices) == (2, 1, 2)
    assert sum(file.report.left_out.values()) == 1
    lines = file.report.lines()
    assert "Ties whose rater said that both answers are bad: 2." in lines
    assert "Answers of people without a choice: 2." in lines
    text = io.StringIO()
    write_pairs(text, file.pairs, None)
    write_pairs_parquet(tmp_path / "out.parquet", file.pairs, None)
    (tmp_path / "out.jsonl").write_text(text.getvalue())
    assert '"choice": "both_bad"' in text.getvalue()
    for name in ("out.jsonl", "out.parquet"):
        assert read_pairs([tmp_path / name], "concord").pairs == file.pairs


def test_an_invalid_choice_is_the_only_problem_of_its_line(tmp_path: Path) -> None:
    bare = {name: value for name, value in LINE.items() if name != "references"}
    for choice in (3, "better", None):
        with pytest.raises(FormatError) as refused:
            read(tmp_path, bare | {"ratings": [{"worker": "w", "choice": choice}], "set": "s"})
        (problem,) = refused.value.problems
        assert (problem.field, problem.message) == (
            "ratings[0].choice",
            '1, 2 or "tie" is expected',
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratings": [{"worker": "w", "choice": 3}]}, 'ratings[0].choice: 1, 2 or "tie"'),
        ({"ratings": [{"worker": "w", "choice": 1}] * 2}, '"w" chooses twice'),
        ({"ratings": [{"choice": 1}]}, "ratings[0].worker: is missing"),
        ({"ratings": [{"worker": "w", "choice": 1, "first_shown": 0}]}, "1 or 2 is expected"),
        ({"ratings": []}, "score1: is missing"),
        ({"ratings": [], "score1": 1, "score2": 1}, "1 is not above score2"),
        ({"ratings": [], "references": [], "score1": 2, "score2": 1}, "references: is empty"),
        ({"score1": 9, "score2": 1, "scale": [1, 5]}, "9 is outside the scale"),
    ],
)
def test_a_fault_is_named_by_line_and_field(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(FormatError) as refused:
        read(tmp_path, LINE, LINE | {"id": "p2"} | change)
    assert message in str(refused.value) and "pairs.jsonl:2" in str(refused.value)


def test_pairs_to_be_rated_have_no_choices_yet(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="people chose between these candidates already"):
        read(tmp_path, LINE, unscored_pairs=True)


def write(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps(rows))
    return path


def test_lfqas_experts_are_joined_on_the_same_two_answers(tmp_path: Path) -> None:
    second = LFQA[0] | {
        "answer1": LFQA[0]["answer2"],
        "answer2": LFQA[0]["answer1"],
        "answer1_label": "HMM[3]",
        "DifficultToChoose": "Yes, both are fine",
        "annotator": 8,
    }
    paths = [write(tmp_path / "1.json", LFQA), write(tmp_path / "2.json", [second])]
    file = read_pairs(paths, "lfqa")
    (pair,) = file.pairs
    assert pair.systems == ("H", "M") and pair.instance.question == "Why is the sky blue?"
    # The second expert saw the answers in the other order, and chose the first shown.
    assert pair.choices == (ChoiceRecord("7", 1, 1), ChoiceRecord("8", 2, 2, is_hard=True))
    assert (file.report.read, file.report.kept, file.report.choices) == (1, 1, 2)
    with pytest.raises(FormatError, match='"7" chooses twice'):
        read_pairs([paths[0], write(tmp_path / "3.json", LFQA)], "lfqa")


@pytest.mark.parametrize(
    ("format", "rows", "message"),
    [
        ("lfqa", [LFQA[0] | {"BetterAnswer": "A"}], r"\[0\].BetterAnswer"),
        ("lfqa", [LFQA[0] | {"answer1_label": "X"}], "answer1_label: is missing"),
        ("lfqa", [LFQA[0] | {"annotator": None}], "has no name of a rater"),
        ("llmbar", [LLMBAR[0] | {"label": 3}], r"\[0\].label: 1 or 2"),
        ("llmbar", [LLMBAR[0] | {"output_2": 1}], r"\[0\].output_2"),
    ],
)
def test_faults_of_published_files_are_named(
    tmp_path: Path, format: str, rows: list[Any], message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        read_pairs([write(tmp_path / "f.json", rows)], format)


def test_llmbar_has_the_authors_label_and_no_systems(tmp_path: Path) -> None:
    (pair,) = read_pairs([write(tmp_path / "b.json", LLMBAR)], "llmbar").pairs
    assert pair.choices == (ChoiceRecord("authors", 1),) and pair.systems == ("", "")
    assert list(preferences_of([pair])) == []


def test_the_published_files_are_read() -> None:
    lfqa = read_pairs(sorted(real_data.path("lfqa").glob("*.json")), "lfqa").report
    assert (lfqa.kept, lfqa.choices) == (60, 120)
    paths = [real_data.path(f"llmbar/{name}/dataset.json") for name in ("Natural",)]
    assert read_pairs(paths, "llmbar").report.kept == 100
