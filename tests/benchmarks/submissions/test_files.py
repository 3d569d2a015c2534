"""Files of scores: everything wrong with one is said by line and id, and nothing is kept."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun, Submission
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from benchmarks.submissions.services.files import MAX_LINE_BYTES, item_lines, read_scores
from concord.formats import FormatError
from tests.benchmarks.submissions.conftest import score_lines


def read(small, path):
    return read_scores(small, path, max_bytes=1 << 20)


def problems(small, path):
    with pytest.raises(FormatError) as caught:
        read(small, path)
    return [(one.line, one.message) for one in caught.value.problems], caught.value.total


def test_scores_come_in_any_order_and_pairs_may_be_left_out(small, scores_file):
    scores = read(small, scores_file(score_lines(small)[::-1]))
    assert np.array_equal(scores[:12], np.arange(12) / 7) and np.isnan(scores[12:]).all()
    scores = read(small, scores_file(score_lines(small, pairs=True)[::-1]))
    assert scores[12:].tolist() == [2, 1, 3, 1, 4, 1, 5, 1]


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".parquet", ".json"])
def test_a_table_of_scores_is_read_as_the_lines_are(small, scores_file, tmp_path, suffix):
    lines = score_lines(small, pairs=True)
    frame = pd.DataFrame(lines).rename(columns={"score": "Score"})
    path = tmp_path / f"scores{suffix}"
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records")
    expected = read(small, scores_file(lines))
    assert np.allclose(read(small, path), expected, rtol=1e-9)


def test_integers_and_negative_numbers_are_valid_scores(small, scores_file):
    lines = score_lines(small)
    lines[0]["score"], lines[1]["score"] = -3, 1e-300
    assert read(small, scores_file(lines))[:2].tolist() == [-3, 1e-300]


def test_every_error_names_its_line_and_id(small, scores_file):
    lines = score_lines(small, pairs=True)
    keys = [line["id"] for line in lines]
    lines[0]["score"] = float("nan")
    lines[1]["score"] = float("-inf")
    lines[2]["score"] = 10**400
    lines[3]["score"] = "0.5"
    lines[4]["score"] = None
    lines[5]["score"] = True
    del lines[6]["score"]
    lines[7]["note"] = "new"
    del lines[8]
    lines.append({"id": keys[0], "score": 1})
    lines.append({"id": "stranger", "score": 1})
    lines.append({"score": 1})
    lines.append({"id": 7, "score": 1})
    lines[11] = {"id": "p0", "score": 1}  # p0's own line, wrong in kind
    faults, total = problems(small, scores_file(lines))
    messages = dict(faults)
    assert messages[1] == f'"{keys[0]}" score is nan; a finite number is expected'
    assert messages[2] == f'"{keys[1]}" score is -inf; a finite number is expected'
    assert messages[3] == f'"{keys[2]}" score is too large a number'
    assert messages[4] == f'"{keys[3]}" score is "0.5"; a number is expected'
    assert "score is null" in messages[5] and "a number is expected" in messages[6]
    assert messages[7] == f'"{keys[6]}" score is missing; a number is expected'
    assert messages[8] == f'"{keys[7]}" has "note", which is not a field of a line of scores'
    assert messages[12] == '"p0" is a pair: give score1 and score2'
    assert messages[16] == f'"{keys[0]}" was scored in line 1 already'
    assert messages[17] == '"stranger" is not an id of small@1'
    assert messages[18] == "is missing" and "a string is expected" in messages[19]
    assert (None, f'"{keys[8]}" this candidate has no score') in faults
    assert len(faults) == total == 14


def test_pairs_are_scored_all_or_none(small, scores_file):
    lines = score_lines(small, pairs=True)
    del lines[-1], lines[-1]["score2"]
    faults, _ = problems(small, scores_file(lines))
    assert [message for _, message in faults] == [
        '"p2" score2 is missing; a number is expected',
        '"p3" this pair has no score',
    ]


def test_a_hundred_problems_are_listed_and_all_are_counted(tmp_path, scores_file, db):
    from tests.benchmarks.factories import make_set

    made = make_set(tmp_path, "large", instances=90)
    faults, total = problems(made, scores_file([{"id": "stranger", "score": 1}]))
    assert (len(faults), total) == (100, 181)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08rest", "compressed with gzip"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"id,score\nc0-a,high\n", 'score is "high"; a number is expected'),
        (b"id,score\nc0-a\n", "has 1 column, but the header has 2"),
        (b"id,score\nc0-a,\n", "score is missing"),
        (b"key,score\nc0-a,2\n", 'has the columns "key"; delete all but "id", "score"'),
        (b"id,Score,Gold\nc0-a,2,1\n", 'has the columns "Gold"'),
        (b"score\n2\n", 'has no column "id"'),
        (b"id,score,SCORE\nc0-a,2,3\n", "repeated columns"),
        (b"[1]\n", "an object is expected"),
        (b'{"id": "c0-a", "score": 1\n', "is not valid JSON"),
        (b'{"id": "c0-a", "score": 1}\n[2]\n', "one JSON object per line"),
        (b'{"id": "c0-a", "score": 1, "score": 2}\n', "occurs twice"),
        (b'{"id": "c0-a", "score": ' + b"[" * 30_000 + b"\n", "nested too deeply"),
        (b'{"id": "c0-a", "score": 1' + b"0" * 5000 + b"}\n", "too many digits"),
        (b'{"id": "\xff", "score": 1}\n', "is not UTF-8"),
        (b'{"id": "' + b"x" * MAX_LINE_BYTES + b'"}\n', "is longer than"),
        (b"\n" * 2_000_000, "bytes; at most"),
    ],
)
def test_a_file_without_scores_is_refused_with_a_reason(small, tmp_path, data, sentence):
    path = tmp_path / "file"
    path.write_bytes(data)
    faults, _ = problems(small, path)
    assert any(sentence in message for _, message in faults)


def test_reading_stops_after_more_lines_than_the_set_has(small, tmp_path):
    path = tmp_path / "file"
    path.write_text('{"id": "stranger", "score": 1}\n' * 5000)
    assert "far more lines" in problems(small, path)[0][-1][1] or problems(small, path)[1] < 1100


def test_a_faulty_file_is_not_stored_and_does_not_count_towards_the_limit(small, scores_file, ann):
    path = scores_file(score_lines(small)[1:])
    with pytest.raises(FormatError):
        submissions.submit_scores(small, SubmissionInfo("mine"), path, owner=ann, at=now())
    assert not Submission.objects.exists() and not MetricRun.objects.exists()
    assert submissions.remaining_today(small, ann, at=now()) == 3


def test_the_items_to_score_have_no_labels(small):
    rows = [json.loads(line) for line in item_lines(small)]
    assert len(rows) == 16
    assert set(rows[0]) == {"id", "instance", "passage", "question", "references", "candidate"}
    assert set(rows[-1]) - set(rows[0]) == {"candidate1", "candidate2"}
