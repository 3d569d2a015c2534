"""ESA and MQM campaigns as judgments: marks, scores, texts and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from concord.formats import FormatError, ReadOptions, read_judgments
from concord.formats.records import MarksRecord, RatingRecord, Span
from tests import real_data


def row(rater="r1", kind="TGT", score="80", document="news-1", spans="[]", system="sysA") -> str:
    cells = [rater, system, "7", kind, "eng", "deu", score, document, "doc", spans, "1.0", "2.0"]
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells) + "\n"


SPANS = json.dumps(
    [
        {"start_i": 4, "end_i": 6, "severity": "major", "error_type": ["Accuracy", "Omission"]},
        {"start_i": "missing", "end_i": "missing", "severity": "undecided", "error_type": None},
    ]
)


def read(tmp_path: Path, *rows: str, format: str = "esa", **options):
    path = tmp_path / "scores.csv"
    path.write_text("".join(rows))
    return read_judgments([path], format, ReadOptions(**options))


def test_raters_marks_and_scores_of_an_answer_are_joined(tmp_path: Path) -> None:
    file = read(tmp_path, row(spans=SPANS), row("r2", score="60"))
    (candidate,) = file.candidates
    assert candidate.key == "sysA/news-1/7" and candidate.system == "sysA"
    assert candidate.instance.key == "news-1/7" and candidate.instance.references == ()
    assert candidate.marks == (
        MarksRecord(
            "r1",
            (
                Span(4, 7, "major", ("Accuracy", "Omission")),
                Span(None, None, None),
            ),
        ),
        MarksRecord("r2", ()),
    )
    assert candidate.ratings == (RatingRecord("r1", 80), RatingRecord("r2", 60))
    assert (candidate.score, file.scale) == (70, (0, 100))
    report = file.report
    assert (report.spans, report.spans_without_position, report.spans_undecided) == (2, 1, 1)


def test_mqm_has_no_score(tmp_path: Path) -> None:
    file = read(tmp_path, row(spans=SPANS, score="-1"), format="mqm")
    (candidate,) = file.candidates
    assert (candidate.score, candidate.ratings, file.scale) == (None, (), None)
    assert len(candidate.marks) == 1


def test_controls_and_tutorials_are_left_out_and_counted(tmp_path: Path) -> None:
    file = read(tmp_path, row(), row(kind="BAD"), row("r2", kind="BAD"), row(document="tutorial-1"))
    report = file.report
    assert report.left_out == {
        "controls, which were made worse on purpose": 1,
        "answers of the tutorial": 1,
    }
    assert (report.read, report.kept) == (3, 1)


def texts(tmp_path: Path, *lines: dict[str, object]) -> str:
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


LINE = {
    "id": "sysA/news-1/7",
    "instance": "news-1/7",
    "passage": "Das Haus",
    "references": ["The house"],
    "candidate": "The hut",
}


def test_texts_come_from_a_file_of_their_own(tmp_path: Path) -> None:
    path = texts(tmp_path, LINE)
    file = read(tmp_path, row(spans=SPANS), row(system="sysB"), texts=path)
    (candidate,) = file.candidates
    assert candidate.text == "The hut" and candidate.instance.references == ("The house",)
    assert candidate.instance.passage == "Das Haus" and candidate.system == "sysA"
    assert file.report.left_out == {"answers without a text in the file of texts": 1}


def test_a_span_beyond_the_text_is_named(tmp_path: Path) -> None:
    path = texts(tmp_path, LINE | {"candidate": "Hut"})
    with pytest.raises(FormatError, match=r"sysA/news-1/7: a span ends at character 7, .* has 3"):
        read(tmp_path, row(spans=SPANS), texts=path)


def test_faults_of_both_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"scores.csv:1: score: is \"x\""):
        read(tmp_path, row(score="x"))
    with pytest.raises(FormatError, match=r"texts.jsonl:1: candidate"):
        read(tmp_path, row(), texts=texts(tmp_path, LINE | {"candidate": None}))
    with pytest.raises(FormatError, match=r"none\.jsonl"):
        read(tmp_path, row(), texts=str(tmp_path / "none.jsonl"))


def test_wmt23_is_read() -> None:
    esa = read_judgments([real_data.path("esa/240520rc6ESA.scores.csv")], "esa").report
    mqm = read_judgments([real_data.path("esa/240521rc6MQM.scores.csv")], "mqm").report
    assert (esa.kept, esa.ratings) == (2703, 2705)
    assert mqm.kept == 982 and mqm.gold_from_ratings == 0
