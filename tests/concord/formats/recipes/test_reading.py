"""Judgments and pairs read from files by recipes."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from concord.formats import JudgmentFile, Limits, read_judgments, read_pairs
from concord.formats.recipes import FormatRecipe
from concord.formats.records import MarksRecord, Span, WordScale

Read = Callable[..., JudgmentFile]
LONG = """
rows = "ratings"
[fields]
id = "{doc}-{system}"
system = "system"
candidate = ["text"]
[ratings]
worker = "rater"
value = "mark"
"""
ROWS = "doc,system,text,rater,mark\n1,a,So.,r1,4\n1,a,So.,r2,5\n2,a,No.,r1,1\n"
NESTED = """
records = "questions[*].answers.*"
[fields]
id = "{@row}/{@1}/{@2}"
question = "question"
candidate = "text"
system = "@2"
[ratings]
from = "marks[*]"
worker = "@3"
"""
DOCUMENT = {
    "questions": [
        {"question": "Why?", "answers": {"one": {"text": "So.", "marks": [1, None, 3]}}},
        {"question": "Who?", "answers": {"one": {"text": "Me.", "marks": []}}},
    ]
}


def ratings(file: JudgmentFile) -> dict[str, list[tuple[str, float]]]:
    return {one.key: [(r.worker, r.value) for r in one.ratings] for one in file.candidates}


def test_rows_of_one_candidate_are_joined(read_as: Read) -> None:
    file = read_as(LONG, ROWS)
    assert ratings(file) == {"1-a": [("r1", 4.0), ("r2", 5.0)], "2-a": [("r1", 1.0)]}
    assert [one.score for one in file.candidates] == [4.5, 1.0]
    assert file.report.read == file.report.kept == 2
    assert file.report.columns["mark"] == "rating" and not file.report.ignored


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,So.,r1,5\n", ':5: mark: "r1" rates this candidate twice'),
        ("1,a,No.,r3,5\n", ':5: the candidate "1-a" has another text on line 2'),
        ("3,a,Hm.,,5\n", ":5: mark: has no name of a rater"),
        ("3,a,Hm.,r1,good\n", ':5: mark: is "good"; a number is expected'),
        (",a,Hm.,r1,5\n", ":5: id: is missing"),
    ],
)
def test_a_problem_names_the_line_and_the_field(
    refused: Callable[..., str], rows: str, message: str
) -> None:
    assert message in refused(LONG, ROWS + rows)


def test_a_file_without_a_column_of_the_recipe_is_refused(refused: Callable[..., str]) -> None:
    text = refused(LONG, ROWS.replace("mark", "note", 1))
    assert 'mark: no such column; found "doc", ' in text


def test_a_column_may_differ_in_case_and_punctuation(read_as: Read) -> None:
    file = read_as(LONG, ROWS.replace("rater,mark", "Rater,MARK", 1))
    assert len(ratings(file)["1-a"]) == 2 and file.report.columns["MARK"] == "rating"


def test_values_inside_objects_and_lists_are_reached(read_as: Read) -> None:
    file = read_as(NESTED, json.dumps(DOCUMENT), "f.json")
    assert ratings(file) == {"1/1/one": [("1", 1.0), ("3", 3.0)], "1/2/one": []}
    assert [one.instance.question for one in file.candidates] == ["Why?", "Who?"]
    assert file.report.missing == 1
    assert "rater 1 is the first rating of a candidate, not a person" in " ".join(file.report.notes)
    assert read_as(NESTED, json.dumps([DOCUMENT]), "f.json").candidates == file.candidates
    lines = read_as(NESTED, f"{json.dumps(DOCUMENT)}\n{json.dumps(DOCUMENT)}\n", "f.jsonl")
    assert [one.key for one in lines.candidates][::2] == ["1/1/one", "2/1/one"]


def test_a_line_without_records_is_counted(read_as: Read) -> None:
    lines = f'{json.dumps(DOCUMENT)}\n{{"other": 1}}\n'
    report = read_as(NESTED, lines, "f.jsonl").report
    assert "Lines or items without records: 1." in report.notes and report.ignored == ["other"]


def test_a_value_of_another_type_is_named_by_its_path(refused: Callable[..., str]) -> None:
    document = json.dumps(DOCUMENT).replace("[1, null, 3]", '{"a": 1}')
    assert "questions[0].answers.one.marks: is an object; a list is expected" in refused(
        NESTED, document, "f.json"
    )
    document = json.dumps(DOCUMENT).replace("null", '"x"')
    assert 'questions[0].answers.one.marks[1]: is "x"; a number' in refused(
        NESTED, document, "f.json"
    )


def test_words_without_an_order_are_numbered_and_have_no_mean(read_as: Read) -> None:
    toml = LONG + '[values]\nmap = { good = 2 }\nothers = "number"\n'
    file = read_as(toml, ROWS.replace(",4\n", ",red\n").replace(",5\n", ",blue\n"))
    assert ratings(file) == {"1-a": [("r1", 2.0), ("r2", 1.0)], "2-a": [("r1", 0.0)]}
    assert [one.score for one in file.candidates] == [None, None]
    assert "1 is 0, blue is 1, red is 2. They have no mean" in " ".join(file.report.notes)
    mapped = read_as(toml, ROWS.replace(",4\n", ",Good\n"))
    assert ratings(mapped)["1-a"][0] == ("r1", 2.0)


@pytest.mark.parametrize("rows", ["candidates", "ratings"])
def test_candidates_without_a_question_have_instances_of_their_own(
    read_as: Read, rows: str
) -> None:
    toml = f'rows = "{rows}"\n[fields]\ncandidate = "text"\n[ratings]\nvalue = "mark"\n'
    file = read_as(toml + 'worker = "rater"\n', ROWS)
    keys = ["row-1", "row-2", "row-3"] if rows == "candidates" else ["row-1", "row-3"]
    assert [one.key for one in file.candidates] == keys
    assert len({one.instance.key for one in file.candidates}) == len(keys)


def test_records_are_left_out_with_their_reason(read_as: Read) -> None:
    rule = '[[leave_out]]\nfield = "rater"\nvalues = ["R2"]\nreason = "spam"\n'
    file = read_as(LONG + rule, ROWS)
    assert ratings(file)["1-a"] == [("r1", 4.0)]
    assert "Rows left out: 1, spam." in file.report.notes
    one_each = LONG.replace('rows = "ratings"', "") + rule
    file = read_as(one_each, ROWS.replace("1,a,So.,r1,4\n", ""))
    assert file.report.left_out == {"spam": 1} and file.report.kept == 1


def test_a_later_rating_may_replace_an_earlier_one(read_as: Read) -> None:
    file = read_as('repeated = "last"\n' + LONG, ROWS + "1,a,So.,r1,5\n")
    assert ratings(file)["1-a"] == [("r1", 5.0), ("r2", 5.0)]
    assert "Earlier ratings that the same rater replaced: 1." in file.report.notes


def test_values_are_on_the_scale(refused: Callable[..., str], read_as: Read) -> None:
    scale = "[scale]\nlowest = 1\nhighest = 5\n"
    assert read_as(LONG + scale, ROWS).scale == (1.0, 5.0)
    text = refused(LONG + scale, ROWS.replace(",4\n", ",9\n"))
    assert '"r1": 9 is outside the scale from 1 to 5' in text


@pytest.mark.parametrize("name", ["f.csv.gz", "f.zip"])
def test_a_compressed_file_is_unpacked(
    read_as: Read, refused: Callable[..., str], name: str
) -> None:
    data = gzip.compress(ROWS.encode())
    if name == "f.zip":
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            archive.writestr("inner/f.csv", ROWS)
            archive.writestr("__MACOSX/._f.csv", "x")
        data = stream.getvalue()
    assert len(read_as(LONG, data, name).candidates) == 2
    limits = Limits(max_unpacked_bytes=10)
    assert "more than 10 bytes unpacked" in refused(LONG, data, name, limits=limits)
    assert "cannot be unpacked" in refused(LONG, data[:-20], name)


def zipped(**files: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return stream.getvalue()


def test_the_files_of_a_zip_archive_are_read_together(
    read_as: Read, refused: Callable[..., str]
) -> None:
    toml = LONG.replace('"rater"', '"@file"')
    one, other = (f"doc,system,text,mark\n1,a,So.,{mark}\n" for mark in (4, 5))
    file = read_as(toml, zipped(ann_csv=one, bob_csv=other, carl_csv=""), "f.zip")
    assert ratings(file) == {"1-a": [("ann", 4.0), ("bob", 5.0)]}
    text = refused(toml, zipped(ann_csv=one, bob_csv=other.replace("5", "high")), "f.zip")
    assert 'bob.csv:2: mark: is "high"' in text


def test_a_zip_archive_of_different_files_is_refused(refused: Callable[..., str]) -> None:
    text = refused(LONG, zipped(a_csv=ROWS, b_txt="x"), "f.zip")
    assert 'has 2 files, "a.csv", "b.txt"; give one of them' in text
    assert "inspect log convert" in refused(LONG, zipped(a_json="{}", b_txt="x"), "log.eval")


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\r\n" + ROWS.replace(",", ";").replace("\n", "\r\n"),
        ROWS.replace(",", "\t"),
        ROWS.encode("utf-16"),
        b"\xef\xbb\xbf" + ROWS.encode(),
        ROWS.replace("So.", '"So.\nAnd so."'),
    ],
)
def test_separators_and_encodings_are_found(read_as: Read, content: str | bytes) -> None:
    assert [r for _, r in ratings(read_as(LONG, content))["1-a"]] == [4.0, 5.0]


def test_a_windows_file_is_read_and_named_as_one(read_as: Read) -> None:
    file = read_as(LONG, ROWS.replace("So.", "Caf\xe9").encode("cp1252"))
    assert file.candidates[0].text == "Caf\xe9"
    assert "The file is not Unicode; it was read as Windows-1252." in file.report.notes


def test_workbooks_and_parquet_are_read(tmp_path: Path, read_as: Read) -> None:
    frame = pd.read_csv(io.StringIO(ROWS))
    frame.to_excel(tmp_path / "a.xlsx", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    expected = read_as(LONG, ROWS).candidates
    assert read_as(LONG, (tmp_path / "a.xlsx").read_bytes(), "f.xlsx").candidates == expected
    assert read_as(LONG, (tmp_path / "a.parquet").read_bytes(), "f.parquet").candidates == expected


def test_marked_errors_are_spans_of_the_text_without_markers(read_as: Read) -> None:
    toml = """
rows = "ratings"
quotes = false
[fields]
id = "id"
candidate = "target"
[spans]
text = "target"
markers = ["<v>", "</v>"]
severity = "severity"
severities = { minor = "minor", neutral = "undecided" }
none = "no-error"
worker = "rater"
"""
    rows = (
        "id\ttarget\tseverity\trater\n1\tA <v>\U0001f600b</v> c <v>d</v>\tMinor\tr1\n"
        "1\tA \U0001f600b c d\tNeutral\tr1\n1\tA \U0001f600b c d\tno-error\tr2\n"
        '2\t"x\tno-error\tr1\n'
    )
    first, second = read_as(toml, rows).candidates
    assert first.text == "A \U0001f600b c d" and second.text == '"x'
    spans = (Span(2, 4, "minor"), Span(7, 8, "minor"), Span(None, None, None))
    assert first.marks == (MarksRecord("r1", spans), MarksRecord("r2", ()))


def test_choices_in_the_other_order_are_of_the_same_pair(
    tmp_path: Path, recipe: Callable[[str], FormatRecipe]
) -> None:
    toml = """
kind = "pairs"
rows = "ratings"
[fields]
question = "q"
candidate1 = "a"
candidate2 = "b"
system1 = "sa"
system2 = "sb"
[choices]
value = "better"
worker = "w"
first_shown = ["shown"]
[values]
first = "A"
second = "B"
tie = "same"
both_bad = "none"
missing = "skipped"
"""
    path = tmp_path / "f.csv"
    path.write_text(
        "q,a,b,sa,sb,better,w,shown\nQ,x,y,one,two,A,w1,1\nQ,y,x,two,one,A,w2,1\n"
        "Q,x,y,one,two,none,w3,\nQ,x,y,one,two,skipped,w4,\n"
    )
    file = read_pairs([path], recipe(toml))
    (pair,) = file.pairs
    assert [(one.worker, one.choice, one.first_shown) for one in pair.choices] == [
        ("w1", 1, 1), ("w2", 2, 2), ("w3", "tie", None)
    ]  # fmt: skip
    assert [one.is_both_bad for one in pair.choices] == [False, False, True]
    assert file.report.missing == 1
    assert "Ties whose rater said that both answers are bad: 1." in file.report.notes


def test_raters_may_be_named_by_the_files(tmp_path: Path) -> None:
    paths = [tmp_path / f"{who}.jsonl" for who in ("ann", "bob")]
    for path, label in zip(paths, ("4", "5"), strict=True):
        line = {"id": 1, "text": "So.", "label": [label], "Comments": []}
        path.write_text(json.dumps(line))
    assert ratings(read_judgments(paths, "doccano")) == {"1": [("ann", 4.0), ("bob", 5.0)]}


def test_a_row_with_fewer_cells_than_the_recipe_has_names_is_refused(
    refused: Callable[..., str],
) -> None:
    toml = LONG.replace("rows =", 'header = ["doc", "system", "text", "rater", "mark"]\nrows =')
    assert ":1: has 4 columns, but the recipe has 5" in refused(toml, "1,a,So.,r1\n")


def test_the_first_of_several_columns_that_is_not_blank_is_read(read_as: Read) -> None:
    toml = LONG.replace('["text"]', '["text", "other"]')
    rows = ROWS.replace("mark\n", "mark,other\n").replace("So.,r1,4", "So.,r1,4,x")
    rows = rows.replace("So.,r2,5", "So.,r2,5,x").replace("No.,r1,1", ",r1,1,Yes.")
    assert [one.text for one in read_as(toml, rows).candidates] == ["So.", "Yes."]


def test_words_of_a_recipe_are_in_its_order(
    read_as: Callable[..., JudgmentFile],
) -> None:
    toml = 'rows = "ratings"\n[fields]\nid = "doc"\n[ratings]\nworker = "rater"\nvalue = "mark"\n'
    rows = "doc,rater,mark\n1,r1,Warm\n1,r2,dry\n2,r1,mild\n"
    file = read_as(f'{toml}[values]\norder = ["dry", "mild", "warm"]\n', rows)
    assert file.scale == WordScale(["dry", "mild", "warm"], is_ordered=True)
    assert [one.score for one in file.candidates] == [1.0, 1.0]
    file = read_as(f'{toml}[values]\nothers = "number"\n', rows)
    assert file.scale == WordScale(["Warm", "dry", "mild"], is_ordered=False)
    assert [one.score for one in file.candidates] == [None, None]


PLAIN = LONG.replace('"{doc}-{system}"', '"doc"')


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,a,So.,r1,5\n", ':4: mark: "r1" rates this candidate twice'),
        ("1,a,No.,r1,5\n", ':4: the candidate "1" has another text on line 2'),
        ("2,a,No.,,5\n", ":4: mark: has no name of a rater"),
        ("2,a,No.,r1,good\n", ':4: mark: is "good"; a number is expected'),
    ],
)
def test_rows_that_are_looked_up_are_checked_as_others(
    refused: Callable[..., str], rows: str, message: str
) -> None:
    assert message in refused(PLAIN, "\n".join(ROWS.splitlines()[:3]) + "\n" + rows)


def test_rows_that_are_looked_up_are_bounded_and_counted(
    read_as: Read, refused: Callable[..., str]
) -> None:
    rows = "doc,system,text,rater,mark\n" + "".join(
        f"{doc},a,{doc},r{rater},{mark}\n" for doc in (1, 2) for rater, mark in ((1, 4), (2, ""))
    )
    file = read_as(PLAIN, rows)
    assert ratings(file) == {"1": [("r1", 4.0)], "2": [("r1", 4.0)]} and file.report.missing == 2
    assert "more than 3 rows; split the file" in refused(PLAIN, rows, limits=Limits(max_rows=3))


PARALLEL = """
[fields]
id = "id"
[ratings]
columns = "{criterion}.marks"
from = "[*]"
criterion = "{criterion}"
worker = '"{criterion}.raters"."{@1}"'
[[leave_out]]
field = '"{criterion}.status"."{@1}"'
values = "draft"
reason = "drafts"
"""
LISTS = {"id": "c", "a.marks": [4, 5, 2], "a.raters": ["x", "y", "z"],
         "a.status": ["sent", "draft", "sent"], "b.marks": [1], "b.raters": ["x"]}  # fmt: skip


def test_lists_that_go_together_are_read_by_position(read_as: Read) -> None:
    file = read_as(PARALLEL, json.dumps([LISTS]), "f.json")
    (one,) = file.candidates
    read = {name: [(r.worker, r.value) for r in own] for name, own in one.ratings_by_criterion}
    assert read == {"": [], "a": [("x", 4.0), ("z", 2.0)], "b": [("x", 1.0)]}
    assert "Values left out: 1, drafts." in file.report.notes
    assert not file.report.ignored


def test_a_list_shorter_than_the_one_it_goes_with_has_no_rater(refused: Callable[..., str]) -> None:
    text = refused(PARALLEL, json.dumps([LISTS | {"b.raters": []}]), "f.json")
    assert "[0].b.marks[0]: has no name of a rater" in text


@pytest.mark.parametrize("document", [{"data": [1, 2]}, [{"mark": 1}, {"mark": 2}]])
def test_records_are_at_the_first_path_that_reaches_any(read_as: Read, document: object) -> None:
    toml = (
        'records = ["data[*]", "@"]\n[fields]\nid = "@row"\n[scores]\nvalue = ["mark", "@value"]\n'
    )
    if isinstance(document, dict):
        toml = toml.replace('"@row"', '"@1"')
    file = read_as(toml, json.dumps(document), "f.json")
    assert [(one.key, one.score) for one in file.candidates] == [("1", 1.0), ("2", 2.0)]


def test_labels_chosen_together_are_one_word(read_as: Read) -> None:
    toml = LONG.replace('"mark"', '"labels"') + '[values]\nothers = "number"\n'
    row = {"doc": 1, "system": "a", "text": "So.", "rater": "r1"}
    marks: list[object] = [["warm"], ["warm", "dry"], [], {"rank": 1}, "x" * 300]
    rows = [row | {"rater": f"r{at}", "labels": value} for at, value in enumerate(marks)]
    file = read_as(toml, json.dumps(rows), "f.json")
    assert file.scale == WordScale(["dry | warm", "warm"], False)
    assert ratings(file) == {"1-a": [("r0", 1.0), ("r1", 0.0)]}
    assert file.report.missing == 1 and "Values that are no numbers: 2." in file.report.notes


BUTTONS = """
rows = "ratings"
[fields]
id = "id"
[[ratings]]
columns = "{criterion}"
except = ["id", "rater", "*.*"]
criterion = "{criterion}"
worker = "rater"
[[ratings]]
columns = "{criterion}.{label}"
only = "true"
value = "{label}"
criterion = "{criterion}"
worker = "rater"
[values]
others = "labels"
"""


def test_a_column_for_each_label_is_a_rating_of_the_chosen_ones(read_as: Read) -> None:
    rows = "id,rater,tone.warm,tone.dry,rank.1,rank.2\nc,r1,true,false,false,TRUE\n"
    file = read_as(BUTTONS, f"{rows}c,r2,true,true,,\n")
    (one,) = file.candidates
    assert {name: len(own) for name, own in one.ratings_by_criterion} == {
        "": 0,
        "tone": 2,
        "rank": 1,
    }
    tone, rank = one.criteria
    assert tone.scale == WordScale(["dry | warm", "warm"], False) and rank.score == 2
    assert file.report.ignored == []


def test_labels_recur_and_comments_do_not(read_as: Read) -> None:
    rows = [f"c{at},r1,{'yes' if at % 2 else 'no'},Remark {at}." for at in range(6)]
    file = read_as(BUTTONS, "\n".join(["id,rater,fine,note", *rows]))
    assert list(file.report.criteria) == ["fine"] and file.report.ratings == 6
    assert 'Values that are no numbers: 6, in "note".' in file.report.notes


def test_a_column_is_named_by_a_template(read_as: Read) -> None:
    toml = """
    [fields]
    id = "{hit}-{n}"
    candidate = '"Input.a{n}"'
    [ratings]
    columns = "Answer.rating{n:number}"
    worker = "who"
    """
    file = read_as(
        toml, "hit,who,Input.a1,Input.a2,Answer.rating1,Answer.rating2\nh,r,So.,Me.,4,5\n"
    )
    assert [(one.key, one.text, one.score) for one in file.candidates] == [
        ("h-1", "So.", 4),
        ("h-2", "Me.", 5),
    ]
    assert file.report.columns["Input.a1"] == "candidate" and not file.report.ignored


HEADED = """
header_rows = 3
header_signs = ["ImportId", "Text of"]
rows = "ratings"
[fields]
id = "@column"
candidate = "@label"
[ratings]
columns = "Q*"
worker = "who"
"""


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ("Who,Text of Q1\nx,ImportId\n", {"Text of Q1"}),
        ("Who,Text of Q1\n", {"Text of Q1"}),
        ("", {"Q1"}),
    ],
)
def test_header_rows_that_a_file_lacks_cost_no_record(
    read_as: Read, rows: str, texts: set[str]
) -> None:
    file = read_as(HEADED, f"who,Q1\n{rows}a,4\nb,5\nc,3\n")
    assert ratings(file) == {"Q1": [("a", 4.0), ("b", 5.0), ("c", 3.0)]}
    assert {one.text for one in file.candidates} == texts


def test_a_member_that_a_path_reaches_is_reported_as_read(read_as: Read) -> None:
    toml = """
    [fields]
    id = "info.id"
    question = ["info.asked"]
    [ratings]
    from = "info.marks[*]"
    worker = "who"
    value = "mark"
    """
    info = {"id": "c", "asked": "Why?", "state": "OK", "marks": [{"who": "r", "mark": 4}]}
    report = read_as(toml, json.dumps([{"info": info}]), "f.json").report
    assert report.columns["[].info.asked"] == "question"
    assert report.ignored == ["[].info.state"]


OFFSETS = """
rows = "ratings"
[fields]
id = "id"
candidate = "text"
[spans]
from = "errors[*]"
start = "from"
end = "to"
inclusive = true
severity = "severity"
severities = { minor = "minor" }
category = ["kind"]
worker = "who"
"""


def marked(*errors: object, as_text: bool = False) -> str:
    own: object = json.dumps(errors) if as_text else errors
    return json.dumps([{"id": "c", "text": "So it is.", "who": "r", "errors": own}])


def error(first: object, last: object, **more: object) -> dict[str, object]:
    return {"from": first, "to": last, "severity": "Minor", **more}


@pytest.mark.parametrize("as_text", [False, True])
def test_spans_are_read_by_their_offsets(read_as: Read, as_text: bool) -> None:
    errors = [error(0, 1, kind=["a", "b"]), error(9, 9), error("missing", "missing", kind="c")]
    (one,) = read_as(OFFSETS, marked(*errors, as_text=as_text), "f.json").candidates
    spans = (
        Span(0, 2, "minor", ("a", "b")),
        Span(None, None, "minor", ()),
        Span(None, None, "minor", ("c",)),
    )
    assert one.marks == (MarksRecord("r", spans),)


def test_a_file_without_any_span_has_no_marks(read_as: Read) -> None:
    assert read_as(OFFSETS, marked(), "f.json").candidates[0].marks == ()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (error(3, 1), "[0].errors[0]: the offsets of the span are no two numbers in order"),
        (error(0, 1, severity="huge"), '[0].errors[0]: the severity is "huge"; one of "minor"'),
        (error(0, 1, kind=["a", "b\0"]), "category: contains a NUL character (U+0000)"),
    ],
)
def test_a_faulty_span_is_named(
    refused: Callable[..., str], wrong: dict[str, object], message: str
) -> None:
    assert message in refused(OFFSETS, marked(wrong), "f.json")


@pytest.mark.parametrize("rows", ["candidates", "ratings"])
def test_rows_that_repeat_the_header_are_left_out(read_as: Read, rows: str) -> None:
    toml = LONG.replace('"ratings"', f'"{rows}"', 1).replace("{doc}-", "{doc}-{rater}-")
    more = ROWS.replace("\n1,", "\n3,").replace("\n2,", "\n4,")
    file = read_as(toml + '[values]\nothers = "number"\n', ROWS + more)
    assert [one.score for one in file.candidates] == [4.0, 5.0, 1.0] * 2
    reasons = [*file.report.left_out, *file.report.notes]
    assert any("rows that repeat the header" in reason for reason in reasons)
