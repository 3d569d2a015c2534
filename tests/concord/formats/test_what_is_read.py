"""What readers take from files, what they say about it, and what they refuse to guess."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from concord import frames
from concord.cli import main
from concord.formats import (
    TABLE,
    USER_OPTIONS,
    FormatError,
    ReadOptions,
    detect_format,
    detect_judgments,
    option_help,
    read_judgments,
)
from concord.formats.registry import _formats
from tests.concord.formats.format_examples import FILES, LABEL_STUDIO, POTATO, POTATO_TEXTS, read

ROWS = {
    "question": ["Why?", "Who?"],
    "reference": ["so", "me"],
    "candidate": ["because", "you"],
    "score": [2, 4.5],
}


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_every_reader_reports_the_columns_that_it_reads(
    write: Callable[..., Path], kind: str, format: str
) -> None:
    report = read(kind, format, write(*FILES[kind, format])).report
    assert report.columns and not set(report.columns) & set(report.ignored)
    lines = report.short_lines()
    assert lines[0].endswith(f"({format}): {report.count_read}.") and lines[1].startswith("Read: ")
    assert lines[1] in report.lines()
    assert report.to_json()["columns"] == report.columns


# What refuses an unknown member, or reads each as a criterion or an item.
ANY_MEMBER = ("concord", "graded-preferences", "nested-ratings")


@pytest.mark.parametrize(
    ("kind", "format"),
    [key for key, (name, _) in FILES.items()
     if key[1] not in ANY_MEMBER and not name.endswith(".csv")],
)  # fmt: skip
def test_a_field_that_is_not_read_is_reported(
    write: Callable[..., Path], kind: str, format: str
) -> None:
    name, content = FILES[kind, format]
    if format == "mocha":
        content = {"drop": {"1": content["drop"]["1"] | {"extra": 1}}}
    elif isinstance(content, list):
        content = [row | {"extra": 1} for row in content]
    else:
        content = content | {"extra": 1}
    ignored = read(kind, format, write(name, content)).report.ignored
    assert [name for name in ignored if name.endswith("extra")]


@pytest.mark.parametrize("short", ["Why?,so", "Why?,so,", "Why?"])
def test_a_row_that_ends_early_is_refused(
    write: Callable[..., Path], refusal: Callable[..., FormatError], short: str
) -> None:
    path = write("t.csv", f"question,gold,answer,score\nWho?,me,you,3\n{short}\nHow?,a,b,2\n")
    (problem,) = refusal(read_judgments, [path], TABLE).problems
    count = short.count(",") + 1
    assert problem.line == 3
    assert problem.message.startswith(f"has {count} column") and "the header has 4" in str(problem)


@pytest.mark.parametrize("orient", ["columns", "index", "split", "records", "table"])
@pytest.mark.parametrize("indent", [None, 1])
def test_the_json_that_pandas_writes_is_read_row_by_row(
    tmp_path: Path, orient: Any, indent: int | None
) -> None:
    path = tmp_path / "t.json"
    pd.DataFrame(ROWS).to_json(path, orient=orient, indent=indent)
    assert detect_format(path) == TABLE
    first, second = read_judgments([path], TABLE).candidates
    assert (first.instance.question, first.instance.references, first.text) == (
        "Why?",
        ("so",),
        "because",
    )
    assert (first.score, second.score, second.text) == (2.0, 4.5, "you")


def test_a_large_document_of_columns_is_read_too(tmp_path: Path) -> None:
    rows = 3000
    frame = pd.DataFrame({name: list(map(str, range(rows))) for name in ("gold", "answer")})
    frame = "text " + frame
    path = tmp_path / "t.json"
    frame.to_json(path)
    assert path.stat().st_size > 70_000
    assert len(read_judgments([path], TABLE).candidates) == rows


def test_columns_as_lists_are_rows(write: Callable[..., Path]) -> None:
    (first, second) = read_judgments([write("t.json", ROWS)], TABLE).candidates
    assert (first.text, second.instance.references) == ("because", ("me",))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"gold": {"0": "a", "1": "b"}, "answer": {"0": "a"}}, "has other rows than the column"),
        ({"gold": ["a", "b"], "answer": ["a"]}, 'has 1 value, but "gold" has 2'),
        ({"foo": {"bar": 1}, "baz": {"bar": 2}}, "may both be columns"),
        ({"a": [{"gold": "x"}], "b": [{"answer": "y"}]}, 'several lists of objects, "a", "b"'),
        ({"columns": ["gold", "answer"], "data": [["a"]]}, "has 1 value; a list of 2"),
        ([{"a.b": "x", "a": {"b": "y"}}], "two members are this column"),
    ],
)
def test_a_document_that_is_no_table_is_refused_with_the_reason(
    write: Callable[..., Path],
    refusal: Callable[..., FormatError],
    document: object,
    message: str,
) -> None:
    error = refusal(read_judgments, [write("t.json", document)], TABLE)
    assert message in str(error)


def test_what_stands_beside_a_table_is_reported(write: Callable[..., Path]) -> None:
    rows = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]
    report = read_judgments([write("t.json", {"version": 1, "data": rows})], TABLE).report
    assert report.ignored == ["beside the table: version"]


MTURK = """HITId,WorkerId,question,Input.gold,Input.answer,Answer.relevance,Answer.fluency
h1,w1,Why?,so,because,4,5
h2,w2,Who?,me,you,2,1
"""


def test_ratings_are_not_guessed_to_be_texts_and_do_not_vanish(write: Callable[..., Path]) -> None:
    file = read_judgments([write("batch.csv", MTURK)], TABLE)
    assert [one.text for one in file.candidates] == ["because", "you"]
    assert [one.instance.references for one in file.candidates] == [("so",), ("me",)]
    assert file.report.ignored == ["HITId"]
    rated = [[(one.name, one.score) for one in row.criteria] for row in file.candidates]
    assert rated[0] == [("Answer.relevance", 4), ("Answer.fluency", 5)]


@pytest.mark.parametrize("cell", ["4", "-2", "4,5", "1,000", "80%", "$3", "2026-01-05", "1e3"])
def test_columns_of_numbers_are_named_or_left_out(
    write: Callable[..., Path], refusal: Callable[..., FormatError], cell: str
) -> None:
    path = write("t.csv", f'gold,answer\na,"{cell}"\nb,"{cell}"\n')
    error = refusal(read_judgments, [path], TABLE)
    assert '"answer" has numbers only' in str(error)
    options = ReadOptions(columns=("reference", "candidate"))
    assert [one.text for one in read_judgments([path], TABLE, options).candidates] == [cell] * 2


def test_a_stray_quotation_mark_joins_no_rows_of_a_file_with_tabs(
    write: Callable[..., Path], refusal: Callable[..., FormatError]
) -> None:
    rows = ["gold\tanswer\tnote", 'a\t"Yes\tx', 'b\tno"\ty', "c\td\tz"]
    text = "\n".join(rows).replace('no"\ty', 'no"')
    assert "joins lines 2 to 3" in str(refusal(read_judgments, [write("t.tsv", text)], TABLE))
    error = refusal(read_judgments, [write("u.tsv", 'gold\tanswer\n"a"b\tc\n')], TABLE)
    assert "is not valid CSV: a tab expected after '\"'" in str(error)


def test_candidates_without_any_text_of_the_instance_are_instances_of_their_own(
    write: Callable[..., Path],
) -> None:
    lines = [{"id": key, "candidate": "x"} for key in ("a", "b")]
    options = ReadOptions(without_references=True)
    file = read_judgments([write("c.jsonl", lines)], "concord", options)
    assert [one.instance.key for one in file.candidates] == ["a", "b"]


def test_another_export_of_label_studio_is_named(
    write: Callable[..., Path], refusal: Callable[..., FormatError]
) -> None:
    path = write(*FILES["judgments", "label-studio-min"])
    for format in ("label-studio", "concord"):
        message = str(refusal(read_judgments, [path], format))
        assert "choose the format label-studio-min" in message


@pytest.mark.parametrize("format", ["concord", "lfqa", "llmbar"])
def test_pairs_are_not_recognised_as_a_table(
    write: Callable[..., Path], refusal: Callable[..., FormatError], format: str
) -> None:
    error = refusal(detect_judgments, write(*FILES["pairs", format]))
    assert f"this looks like pairs in the format {format}" in str(error)


def test_a_list_of_objects_does_not_look_like_json_lines(
    write: Callable[..., Path], refusal: Callable[..., FormatError]
) -> None:
    path = write("t.json", [{"id": "a", "candidate": "b", "references": ["c"]}])
    assert detect_format(path) == TABLE
    message = str(refusal(read_judgments, [path], "concord"))
    assert "one JSON object per line is expected" in message


@pytest.mark.parametrize("format", ["esa", "mqm"])
def test_columns_with_other_separators_are_counted_by_these(
    write: Callable[..., Path], refusal: Callable[..., FormatError], format: str
) -> None:
    path = write("mqm.tsv", "system\tdoc\trater\tseverity\na\tb\tc, d, e\tMajor\n")
    error = refusal(read_judgments, [path], format)
    assert 'begins with 4 columns, "system", "doc", "rater", "severity"' in str(error)
    assert error.total == 1
    text = io.StringIO()
    csv.writer(text, delimiter="\t").writerows(csv.reader([FILES["judgments", format][1]]))
    assert read_judgments([write("good.tsv", text.getvalue())], format).report.kept == 1


def test_delimited_readers_say_that_a_file_is_json(
    write: Callable[..., Path], refusal: Callable[..., FormatError]
) -> None:
    path = write("t.json", [{"a": 1, "b": 2}])
    for format in ("esa", "mqm"):
        assert "rows of CSV or TSV are expected" in str(refusal(read_judgments, [path], format))


def test_a_choice_is_offered_only_where_there_is_one(
    write: Callable[..., Path], refusal: Callable[..., FormatError]
) -> None:
    task = {"data": {"candidate": "c"}, "annotations": []}
    nothing = refusal(
        read_judgments, [write("t.json", [task])], "label-studio", ReadOptions(criterion="x")
    )
    assert str(nothing) == 'criterion: "x" is unknown; there are no criteria'
    one = refusal(frames.read_judgments, write("l.json", LABEL_STUDIO), "label-studio")
    assert "the only one is fluency" in str(one)


def test_the_command_reads_ratings_of_potato_with_a_file_of_texts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rater in ("r1", "r2"):
        folder = tmp_path / "annotation_output" / rater
        folder.mkdir(parents=True)
        (folder / "user_state.json").write_text(json.dumps(POTATO | {"user_id": rater}))
    arguments = ["--texts", str(POTATO_TEXTS), "--criterion", "fluency", "--draws", "5"]
    paths = [str(path) for path in sorted(tmp_path.glob("*/*/*.json"))]
    assert main(["agreement", *paths, "--from", "potato", *arguments]) == 0
    assert "Read: user_id (rater)" in capsys.readouterr().err
    assert main(["agreement", str(tmp_path / "annotation_output"), *arguments]) == 0
    assert "(potato): 1 candidate" in capsys.readouterr().err
    assert main(["agreement", str(tmp_path), "--from", "potato", *arguments]) == 2
    assert "has no files */user_state.json" in capsys.readouterr().err


def test_the_command_reads_label_studio_without_references(
    write: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = []
    for at, value in enumerate((4, 2)):
        (annotation,) = LABEL_STUDIO[0]["annotations"]
        (result,) = annotation["result"]
        rated = [
            {"completed_by": who, "result": [result | {"value": {"rating": value}}]}
            for who in (1, 2)
        ]
        tasks.append({"data": {"id": str(at), "candidate": "c"}, "annotations": rated})
    path = str(write("export.json", tasks))
    arguments = ["--criterion", "fluency", "--draws", "5"]
    assert main(["agreement", path, "--from", "label-studio", *arguments]) == 0
    assert "1.000" in capsys.readouterr().out
    assert main(["leaderboard", path, "--criterion", "fluency", "--metrics", "bleu-1"]) == 2
    assert "2 candidates without references" in capsys.readouterr().err


def test_commands_print_what_they_read_and_ignored_and_json_stays_json(
    write: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(write("batch.csv", MTURK))
    chosen = ["--criterion", "Answer.fluency", "--metrics", "token-f1", "--format", "json"]
    assert main(["leaderboard", path, *chosen]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["n"] == 2
    assert printed.err.splitlines()[:3] == [
        f"{path} (table): 2 candidates.",
        "Read: WorkerId (rater), question, Input.gold (reference), Input.answer (candidate), "
        "Answer.relevance (rating), Answer.fluency (rating).",
        "Ignored: HITId.",
    ]


def test_options_name_every_format_that_accepts_them() -> None:
    for kind in ("judgments", "pairs"):
        for name in USER_OPTIONS:
            accepting = dict.fromkeys(
                "recipes" if format.recipe else one
                for one, format in _formats(kind).items()
                if name in format.options
            )
            text = option_help(name, kind)
            assert text.startswith(", ".join(accepting)) and bool(text) == bool(accepting)
    help_text = subprocess.run(
        [sys.executable, "-m", "concord", "agreement", "--help"],
        capture_output=True,
        text=True,
        env={"COLUMNS": "1000"},
    ).stdout
    for name in USER_OPTIONS:
        assert option_help(name) in help_text


DOCUMENT = json.dumps([{"a": 1}] * 30)
DOCUMENT_OF_MEMBERS = json.dumps({"data": [{"a": 1}]}, indent=1)
LINES = '{"a": 1, "b": 2}\n' * 30


@pytest.mark.parametrize(
    ("format", "content", "message"),
    [
        ("concord", DOCUMENT_OF_MEMBERS, "is a JSON document of several lines"),
        ("concord", '{"candidate":\n"a"}', "is not valid JSON"),
        ("concord", '{"candidate": "a",\n"id": "b"}', "is a JSON document of several lines"),
        (
            "concord",
            LINES,
            "has none of the fields candidate, references of judgments in the format",
        ),
    ],
)
def test_a_file_of_another_kind_gets_one_message_that_says_what_it_is(
    write: Callable[..., Path],
    refusal: Callable[..., FormatError],
    format: str,
    content: str,
    message: str,
) -> None:
    error = refusal(read_judgments, [write("file", content)], format)
    assert message in str(error) and len(error.problems) <= 2
