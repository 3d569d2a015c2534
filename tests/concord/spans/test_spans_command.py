"""`concord spans`: the reader of WMT campaigns, the report and its errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from concord.cli import main
from concord.formats import FormatError
from concord.formats.spans import read_spans
from tests import real_data
from tests.concord.formats.recipe_examples import MQM_TSV


def row(rater: str = "r1", *, errors: tuple[object, ...] = (), **changes: str) -> list[str]:
    cells = {
        "annotator": rater, "system": "a", "item": "1", "type": "TGT", "source": "eng",
        "target": "deu", "score": "80", "document": "doc#a", "unit": "False",
        "spans": json.dumps(errors),
        "start": "1", "end": "2",
    }  # fmt: skip
    return list({**cells, **changes}.values())


def error(start: object, end: object, severity: str = "minor") -> dict[str, object]:
    return {"start_i": start, "end_i": end, "severity": severity, "error_type": None}


@pytest.fixture
def write(tmp_path: Path):
    def write(*rows: list[str]) -> Path:
        path = tmp_path / "wmt.csv"
        with path.open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        return path

    return write


def test_the_last_character_becomes_the_end(write) -> None:
    path = write(row(errors=(error(3, 3), error("missing", "missing", "undecided"))))
    (marks,) = read_spans(path, "esa").marks
    assert [(s.start, s.end, s.severity) for s in marks.spans] == [(3, 4, "minor"), (None,) * 3]
    assert (marks.document, marks.score, marks.is_control) == ("doc", 80.0, False)


def test_the_latest_marks_of_an_answer_count(write) -> None:
    path = write(row(score="10", end="5"), row(score="90", end="9"), row(score="20", end="7"))
    file = read_spans(path, "esa")
    assert [one.score for one in file.marks] == [90.0] and file.repeated == 2


def test_tutorials_and_controls_count_for_no_system(write, capsys) -> None:
    path = write(
        row(errors=(error(0, 4),), score="90"),
        row("r2", errors=(error(0, 4),), score="80"),
        row(type="BAD", document="doc#a#bad1", score="20"),
        row(document="de-tutorial1", system="t", score="1"),
    )
    assert main(["spans", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report["systems"]) == ["a"]
    assert report["systems"]["a"]["score"]["value"] == 85.0
    assert report["systems"]["a"]["mqm"]["value"] == -1.0
    assert report["agreement"]["f1"]["value"] == 1.0
    assert report["agreement"]["alpha"]["value"] == 1.0
    assert report["controls"] == {"compared": 1, "worse": 1}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"type": "REF"}, "type"),
        ({"score": "101"}, "score"),
        ({"system": ""}, "system"),
        ({"end": "soon"}, "end time"),
        ({"spans": "{"}, "spans"),
        ({"spans": json.dumps([error(5, 4)])}, "spans[0].start_i"),
        ({"spans": json.dumps([error(1, "missing")])}, "spans[0].start_i"),
        ({"spans": json.dumps([error(1, 2, "huge")])}, "spans[0].severity"),
        ({"spans": json.dumps([{"start_i": 1, "end_i": 2}])}, "spans[0].severity"),
    ],
)
def test_a_problem_is_named_with_line_and_field(write, changes, field) -> None:
    with pytest.raises(FormatError) as caught:
        read_spans(write(row(), row("r2", **changes)), "esa")
    (problem,) = caught.value.problems
    assert (problem.line, problem.field) == (2, field)


def test_another_number_of_columns_and_an_empty_file_are_refused(write, capsys) -> None:
    assert main(["spans", str(write(["a", "b"]))]) == 2
    assert 'begins with 2 columns, "a", "b"; 12 columns' in capsys.readouterr().err
    assert main(["spans", str(write())]) == 2
    assert "is empty" in capsys.readouterr().err


def test_a_file_that_a_recipe_reads_has_the_same_report(tmp_path: Path, capsys) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_text(MQM_TSV)
    for stated in ([], ["--from", "mqm-tsv"], ["--recipe", "mqm-tsv"]):
        assert main(["spans", str(path), "--format", "json", *stated]) == 0
        report = json.loads(capsys.readouterr().out)
        assert (report["marks"], report["spans"], report["without_position"]) == (3, 2, 1)
        means = {name: one["mqm"]["value"] for name, one in report["systems"].items()}
        # Of the first system, one rater marked a minor and a major error, the other none.
        assert means == {"one": -3.0, "two": 0.0}


def test_mqm_of_ted_is_read_without_a_script(capsys) -> None:
    path = real_data.path("public/mqm_ted_ende.first2000.tsv")
    assert main(["spans", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["marks"], report["spans"]) == (1651, 1107)
    rows = list(csv.reader(path.open(), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    for name, system in report["systems"].items():
        own = [row for row in rows if row[0] == name]
        costs = [
            0 if row[8] == "No-error"
            else 5 if row[8] == "Major"
            else 0.1 if "Punctuation" in row[7]
            else 1
            for row in own
        ]  # fmt: skip
        answers = len({tuple(row[1:5]) for row in own})
        assert system["mqm"]["value"] == pytest.approx(-sum(costs) / answers)


def test_the_campaigns_of_wmt23(capsys) -> None:
    path = real_data.path("esa") / "240520rc6ESA.scores.csv"
    assert main(["spans", str(path), "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert len(report["systems"]) == 13
    assert (report["without_position"], report["undecided"]) == (476, 34)
    assert next(iter(report["systems"])) == "wmt23.GPT4-5shot"
    assert report["controls"] == {"compared": 174, "worse": 147}
    assert main(["spans", str(path.with_name("240521rc6MQM.scores.csv")), "--from", "mqm"]) == 0
    assert "Controls: in 61 of 72 documents" in capsys.readouterr().out
