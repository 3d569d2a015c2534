"""A judge's stored answers: scores, labels, repeats and invalid answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from concord.formats import FormatError
from concord.formats.judge_answers import by_candidate, read_judge_answers


def written(folder: Path, *rows: dict[str, Any]) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def scores(path: Path) -> list[float | None]:
    return [answer.score for answer in read_judge_answers(path).answers]


def test_labels_count_in_the_order_that_the_file_states(tmp_path):
    header = {"labels": ["poor", "fair", "good"]}
    labels = [{"id": str(k), "label": x} for k, x in enumerate(["good", " Fair", "poor", "GOOD"])]
    assert scores(written(tmp_path, header, *labels)) == [2, 1, 0, 2]


def test_without_a_header_labels_are_correct_and_incorrect(tmp_path):
    path = written(tmp_path, {"id": "a", "label": "Correct"}, {"id": "b", "label": "incorrect"})
    assert scores(path) == [1, 0]


def test_an_invalid_answer_has_a_reason_and_no_score(tmp_path):
    path = written(
        tmp_path,
        {"scale": [1, 5]},
        {"id": "a", "score": 4.5, "raw": "4.5", "model": "m-1"},
        {"id": "b", "score": 6},
        {"id": "c", "score": None, "raw": "I cannot say."},
    )
    first, outside, silent = read_judge_answers(path).answers
    assert (first.score, first.raw, first.model, first.line) == (4.5, "4.5", "m-1", 2)
    assert (outside.score, outside.reason) == (None, "6 is not from 1 to 5")
    assert (silent.score, silent.reason, silent.raw) == (None, "no answer", "I cannot say.")
    path = written(tmp_path, {"id": "a", "label": "correct"}, {"id": "b", "label": "N/A"})
    assert read_judge_answers(path).answers[1].reason == (
        '"N/A" is not one of the labels "incorrect", "correct"'
    )


def test_the_lines_of_concord_judge_are_read(tmp_path):
    row = {"key": "k", "label": 4, "invalid": "", "raw": "4", "model": "m", "charged": [1, 1]}
    path = written(
        tmp_path,
        row | {"id": "a", "scores": {"judge-m": 3.7}},
        row | {"id": "b", "scores": {"judge-m": None}, "invalid": "no label"},
    )
    first, second = read_judge_answers(path).answers
    assert (first.score, second.score, second.reason) == (3.7, None, "no label")


def test_repeated_answers_are_grouped_by_candidate(tmp_path):
    rows = [{"id": key, "score": k} for k, key in enumerate(["a", "b", "a", "a"])]
    groups = dict(by_candidate(read_judge_answers(written(tmp_path, *rows)).answers))
    assert [answer.score for answer in groups["a"]] == [0, 2, 3]
    assert list(groups) == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"score": 1}], "id: is missing"),
        ([{"id": 7, "score": 1}], "id: is a number; a string is expected"),
        ([{"id": "a"}], "has no score or label, or both"),
        ([{"id": "a", "score": 1, "label": "correct"}], "has no score or label, or both"),
        ([{"id": "a", "score": "4"}], 'is "4"; a number is expected'),
        ([{"id": "a", "score": float("inf")}], "a finite number is expected"),
        ([{"id": "a", "label": ["x"]}], "label: is a list; text is expected"),
        ([{"id": "a", "label": " "}], "label: is a string; text is expected"),
        ([{"id": "a", "score": 1}, {"id": "b", "label": "correct"}],
         "has a label, and lines before have a score"),
        ([{"id": "a", "scores": {"x": 1, "y": 2}}], "the score of one judge is expected"),
        ([{"id": "a", "score": 1, "raw": 5}], "raw: is a number; a string is expected"),
        ([{"id": "a", "score": 1, "raw": "a\0b"}], "NUL"),
        ([{"id": "a", "score": 1, "model": "x"}, {"id": "b", "score": 1, "model": "y"}],
         'names several models, "x", "y"'),
        ([{"id": "a", "label": "maybe"}], 'has no valid answer: "maybe" is not one of the labels'),
        ([{"labels": ["a", "b"]}], "has no answers"),
        ([{"labels": ["a"]}], "different labels are expected"),
        ([{"labels": ["a", "A "]}], "different labels are expected"),
        ([{"labels": "ab"}], "different labels are expected"),
        ([{"scale": [5, 1]}], "[lowest, highest] is expected"),
        ([{"scale": [1, "5"]}], "[lowest, highest] is expected"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_a_reason(tmp_path, rows, message):
    with pytest.raises(FormatError) as caught:
        read_judge_answers(written(tmp_path, *rows))
    assert message in str(caught.value)
