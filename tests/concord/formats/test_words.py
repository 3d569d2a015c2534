"""Ratings in words: read, written and read again as words, with or without an order."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import concord
from concord.formats import (
    FormatError,
    JudgmentFile,
    read_judgments,
    write_judgments,
    write_judgments_parquet,
)
from concord.formats.records import WordScale

Write = Callable[..., Path]
ORDERED = {"values": ["poor", "fair", "good"], "ordered": True}
LINES = [
    {
        "id": key,
        "references": ["r"],
        "candidate": key,
        **ORDERED,
        "ratings": [{"worker": "w1", "value": first}, {"worker": "w2", "value": "good"}],
        "criteria": {
            "tone": {
                "values": ["warm", "cold"],
                "ratings": [{"worker": "w1", "value": "cold"}],
            }
        },
    }
    for key, first in (("a", "poor"), ("b", 1))
]


def read(path: Path) -> JudgmentFile:
    return read_judgments([path], "concord")


def test_words_are_positions_with_the_words_beside_them(write: Write) -> None:
    file = read(write("c.jsonl", LINES))
    assert file.scale == WordScale(["poor", "fair", "good"], is_ordered=True) != (0.0, 2.0)
    first, second = file.candidates
    assert [one.value for one in first.ratings] == [0.0, 2.0] and first.score == 1.0
    assert [one.value for one in second.ratings] == [1.0, 2.0] and second.score == 1.5
    (tone,) = first.criteria
    assert tone.scale == WordScale(["warm", "cold"], is_ordered=False)
    assert tone.ratings[0].value == 1.0 and tone.score is None


def test_words_are_written_and_read_again_equal(write: Write, tmp_path: Path) -> None:
    file = read(write("c.jsonl", LINES))
    stream = io.StringIO()
    write_judgments(stream, file.candidates, file.scale, str)
    line = json.loads(stream.getvalue().splitlines()[1])
    assert [one["value"] for one in line["ratings"]] == ["fair", "good"]
    assert line["values"] == ORDERED["values"] and line["ordered"] and "scale" not in line
    again = read(write("again.jsonl", stream.getvalue()))
    write_judgments_parquet(tmp_path / "p.parquet", file.candidates, file.scale, str)
    parquet = read(tmp_path / "p.parquet")
    for other in (again, parquet):
        assert (other.candidates, other.scale) == (file.candidates, file.scale)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ratings": [{"worker": "w", "value": "bad"}]},
         'ratings[0].value: is "bad"; choose one of poor, fair, good'),
        ({"ratings": [{"worker": "w", "value": 3}]},
         "ratings[0].value: 3 is outside the scale from 0 to 2"),
        ({"values": ["poor", "poor"]}, "values: must be a list of words, which differ"),
        ({"scale": [0, 2]}, "values: cannot be with `scale`"),
        ({"ordered": False, "score": 1}, "score: words without an order have no score"),
        ({"values": None, "ordered": None}, 'ratings[0].value: is "poor"; a number is expected'),
    ],
)  # fmt: skip
def test_a_fault_of_words_is_named(write: Write, change: dict[str, object], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(write("c.jsonl", [LINES[0] | change]))
    assert message in str(caught.value)


def test_lines_must_state_the_same_words(write: Write) -> None:
    with pytest.raises(FormatError, match="values: is poor, fair, good, but poor < fair < good"):
        read(write("c.jsonl", [LINES[0], LINES[1] | {"ordered": False}]))
    numbers = {"id": "n", "candidate": "n", "references": ["r"],
               "ratings": [{"worker": "w", "value": 1}]}  # fmt: skip
    with pytest.raises(FormatError, match="must be stated on the first line with ratings"):
        read(write("c.jsonl", [numbers, LINES[0]]))


def test_a_rating_that_is_null_is_missing(write: Write) -> None:
    ratings = [{"worker": "w1", "value": None}, {"worker": "w2", "value": "good"}]
    file = read(write("c.jsonl", [LINES[0] | {"ratings": ratings}]))
    assert [one.worker for one in file.candidates[0].ratings] == ["w2"]
    assert file.report.missing == 1


def test_agreement_on_words_without_an_order_is_nominal(write: Write) -> None:
    ratings = [{"worker": w, "value": v} for w, v in (("w1", "a"), ("w2", "c"))]
    others = [{"worker": w, "value": "b"} for w in ("w1", "w2")]
    lines = [
        {"id": str(at), "candidate": str(at), "values": ["a", "b", "c"], "ratings": own}
        for at, own in enumerate((ratings, others, others[::-1]))
    ]
    frame: pd.DataFrame = concord.read_judgments(write("c.jsonl", lines))
    found = concord.agreement(frame, draws=1)
    assert found.report["level"] == "nominal"
    assert found.alpha == concord.agreement(frame, draws=1, level="nominal").alpha
