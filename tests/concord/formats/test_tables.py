"""One reader of tables: CSV, TSV, XLSX, Parquet, JSON and JSON Lines, within limits."""

from __future__ import annotations

import datetime
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from concord.formats import TABLE, Limits, ReadOptions, detect_format, read_judgments
from concord.formats.tables import guess_meanings, mapping_problems, preview_table

TEXTS = ["ما هذا؟", "قارب صغير", "一艘船 🛶 ‏"]
HEADER = ["Query", "Gold answer", "Model output", "Rating"]
ROWS = [[*TEXTS, 4], ["Why?", "because,\nit is", 'he said "no"', 2.5]]


def workbook(*rows: list[Any], title: str = "Answers", **more: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    sheets = {title: rows, **more}
    book.remove(book.active)
    for name, content in sheets.items():
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def delimited(separator: str, encoding: str = "utf-8") -> bytes:
    import csv

    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows([HEADER, *ROWS])
    return file.getvalue().encode(encoding)


def objects() -> list[dict[str, Any]]:
    return [dict(zip(HEADER, row, strict=True)) for row in ROWS]


def parquet(rows: list[dict[str, Any]], **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


FILES = {
    "a.csv": delimited(","),
    "semicolon.csv": delimited(";"),
    "a.tsv": delimited("\t"),
    "bom.csv": delimited(",", "utf-8-sig"),
    "utf16.csv": delimited("\t", "utf-16"),
    "a.xlsx": workbook(HEADER, *ROWS),
    "a.parquet": parquet(objects()),
    "a.json": json.dumps(objects(), indent=1).encode(),
    "data.json": json.dumps({"version": 1, "data": objects()}, indent=1).encode(),
    "utf16.json": json.dumps(objects(), ensure_ascii=False).encode("utf-16"),
    "a.jsonl": "".join(json.dumps(row) + "\n" for row in objects()).encode(),
    "utf16.jsonl": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in objects()).encode(
        "utf-16"
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_table_gives_the_same_candidates(write, name):
    path = write(name, FILES[name])
    assert detect_format(path) == TABLE
    first, second = read_judgments([path], TABLE).candidates
    assert (first.instance.question, *first.instance.references, first.text) == tuple(TEXTS)
    assert (second.instance.references, second.text) == (("because,\nit is",), 'he said "no"')
    assert [first.score, second.score] == [4.0, 2.5]
    assert (first.key, first.instance.key == second.instance.key) == ("row-1", False)


@pytest.mark.parametrize(
    ("header", "meanings"),
    [
        ("Query|Gold answer|Model output", "question|reference|candidate"),
        ("PROMPT|ground_truth|Response", "question|reference|candidate"),
        ("context|q|ref 1|ref-2|Prediction", "passage|question|reference|reference|candidate"),
        ("question|answer|prediction", "question|reference|candidate"),
        ("question|answer|reference|model", "question|candidate|reference|system"),
        ("modelOutput|GroundTruth|answer length", "candidate|reference|"),
        ("gold|Answer: gpt2|Answer: bart", "reference|candidate|candidate"),
        ("gold|GPT-4 answer|Claude answer|label", "reference|candidate||score"),
        ("Human rating|data set|Fold|Question ID|id", "score|constituent|split|instance|id"),
        ("answers.text|prediction_text", "reference|candidate"),
        ("Réponse|Wort", "candidate|"),
        ("score|rating", "score|"),
    ],
)
def test_usual_headings_are_known(header, meanings):
    assert guess_meanings(header.split("|")) == meanings.split("|")


def test_a_column_for_each_system_gives_candidates_of_each(write):
    path = write("wide.csv", "id,gold,Answer A,Answer B\n1,r,a1,b1\n2,s,a2,\n")
    candidates = read_judgments([path], TABLE).candidates
    assert [(c.key, c.system, c.text) for c in candidates] == [
        ("1/Answer A", "Answer A", "a1"),
        ("1/Answer B", "Answer B", "b1"),
        ("2/Answer A", "Answer A", "a2"),
        ("2/Answer B", "Answer B", ""),
    ]
    assert "no column can be the score" in " ".join(
        mapping_problems(["reference", "candidate", "candidate", "score"])
    )


def test_chosen_columns_replace_the_guess(write, refusal):
    path = write("t.csv", "Answer,Gold\na,b\n")
    options = ReadOptions(columns=("reference", "candidate"))
    (candidate,) = read_judgments([path], TABLE, options).candidates
    assert (candidate.text, candidate.instance.references) == ("b", ("a",))
    for columns, message in [
        (("reference",), '1 meaning for 2 columns: "Answer", "Gold"'),
        (("reference", "nonsense"), '"nonsense" is unknown'),
        (("reference", "ignore"), "Choose the column with the candidate."),
    ]:
        error = refusal(read_judgments, [path], TABLE, ReadOptions(columns=columns))
        assert message in str(error)
    error = refusal(read_judgments, [write("u.csv", "Wort,Satz\na,b\n")], TABLE)
    assert 'The headings are "Wort", "Satz".' in str(error)


def test_rows_that_repeat_the_header_are_left_out(write):
    rows = "question,answer,gold,rating\nwhy,so,so,3\n"
    file = read_judgments([write("two.csv", rows + rows.replace("so", "no"))], TABLE)
    assert [one.text for one in file.candidates] == ["so", "no"]
    assert (file.report.read, file.report.left_out) == (3, {"rows that repeat the header": 1})


def test_a_workbook_is_read_as_people_see_it(write, refusal):
    book = openpyxl.Workbook()
    book.active.title = "About"
    sheet = book.create_sheet("Data")
    sheet.append([])
    sheet.append(["gold", "answer"])
    values = [datetime.date(2026, 1, 5), 0.1 + 0.2, 0.45, 7, True, "_x0041_ a\u200f", 1e20]
    for value in values:
        sheet.append(["r", value])
    sheet["B5"].number_format, sheet["B6"].number_format = "0%", "00000"
    file = io.BytesIO()
    book.save(file)
    path = write("a.xlsx", file.getvalue())
    texts = [c.text for c in read_judgments([path], TABLE).candidates]
    assert texts == ["2026-01-05", "0.3", "45%", "00007", "TRUE", "A a\u200f", "1e+20"]
    preview = preview_table(path)
    assert (preview.sheets, preview.sheet) == (("About", "Data"), "Data")
    error = refusal(read_judgments, [path], TABLE, ReadOptions(sheet="About"))
    assert "has no sheet with rows" in str(error)
    error = refusal(read_judgments, [path], TABLE, ReadOptions(sheet="None"))
    assert 'has no sheet "None"; it has "About", "Data"' in str(error)


def test_a_formula_has_its_stored_value_or_is_refused(tmp_path, write, refusal):
    content = workbook(["gold", "answer", "note"], ["r", "=1+1", "=2+2"], ["s", "t", None])
    error = refusal(read_judgments, [write("a.xlsx", content)], TABLE)
    assert [problem.field for problem in error.problems] == ["answer"]
    assert error.problems[0].file.endswith("a.xlsx[Answers]") and error.problems[0].line == 2
    assert "formula without a stored value" in str(error)
    stored = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stored, "w") as new:
        for name in old.namelist():
            text = re.sub(rb"<f>1\+1</f><v ?/?>(</v>)?", b"<f>1+1</f><v>2</v>", old.read(name))
            new.writestr(name, text)
    path = write("b.xlsx", stored.getvalue())
    assert read_judgments([path], TABLE).candidates[0].text == "2"


def bomb(part: str = "xl/worksheets/sheet1.xml", content: bytes = b"0" * 3_000_000) -> bytes:
    file = io.BytesIO(workbook(["gold", "answer"], ["a", "b"]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(part.replace("sheet1", "sheet9"), content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (bomb(), "bytes unpacked; at most 1,000,000 are allowed"),
        (bomb("xl/x.xml", b'<!DOCTYPE x [<!ENTITY a "b">]><x/>'), "declares entities"),
        (bomb("xl/x.xml", '<!DOCTYPE x><x/>'.encode("utf-16")), "declares entities"),
        (bomb("xl/sheet.bin", b"<!DOCTYPE x><x/>"), "declares entities"),
        (workbook(["gold", "answer"], ["a", "b"])[:900], "is a zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old or encrypted Office file"),
        (workbook([f"c{at}" for at in range(30)]), "has 30 columns; at most 20 are allowed"),
        (workbook(["gold", "answer"], ["a", "b", "c"]), "[Answers]:2: has a value in column 3"),
        (workbook(["gold", "answer"], *[["a", "b"]] * 6), "more than 5 candidates"),
        (workbook(["gold", "answer"], ["a", "x" * 101]), "2: answer: has 101 characters"),
        (workbook(["gold", "answer"], ["a", "#N/A"]), "2: answer: is the error #N/A"),
        (parquet([{"gold": "a", "answer": "b"}] * 6), "has 6 rows; at most 5 are allowed"),
        (parquet([{"gold": "a", "answer": "x" * 401}]), "1: answer: a text has more than 100"),
        (parquet([{"gold": "a", "answer": "x" * 101}]), "1: answer: has 101 characters"),
        (parquet([{"gold": ["x" * 500], "answer": "b"}]), "1: gold: a text has more than 100"),
        (parquet([{"gold": "a", "answer": [{"b": 1}]}]), "answer: is a list; text is expected"),
        (b"PAR1" + b"\0" * 50 + b"PAR1", "cannot be read as Parquet"),
        (parquet([{f"c{at}": 1 for at in range(30)}]), "has 30 columns; at most 20 are allowed"),
        (b'[{"gold": "a", "x": {"b": {"c": 1}}}]', "Choose the column with the candidate"),
        (b'[{"gold": "a", "answer": [[1]]}]', "1: answer: is a list; text is expected"),
        (b'{"gold": 1}\n[]\n', "2: is a list; one JSON object per line"),
        (b"gold,answer\na,b,c\n", "2: has 3 columns, but the header has 2"),
        (b'gold,answer\na,"b\n', "2: is not valid CSV: unexpected end of data"),
        (b"gold,answer\n,b\n", "2: gold: is empty; a reference is expected"),
        (b"gold,answer,id\na,b,1\na,b,1\n", "3: id: the id"),
        (b"gold,answer,score\na,b,x\nc,d,x\n", "2: score: is \"x\"; a number is expected (also"),
        (b"gold,answer\na,b\x81\n", "2: is not UTF-8: byte 0x81 at offset 15"),
        (b"gold,answer\n", "Choose the column"),
    ],
)  # fmt: skip
def test_a_bad_table_is_refused_with_sheet_row_and_column(write, refusal, content, message):
    limits = Limits(max_rows=5, max_columns=20, max_field_chars=100, max_unpacked_bytes=1_000_000)
    if message == "Choose the column":
        message = "has no candidates"
    error = refusal(read_judgments, [write("bad", content)], TABLE, limits=limits)
    assert message in str(error)


def test_a_large_row_group_is_refused_before_it_is_read(write, refusal):
    path = write("a.parquet", parquet([{"gold": "a" * 50, "answer": str(at)} for at in range(500)]))
    error = refusal(read_judgments, [path], TABLE, limits=Limits(max_group_bytes=1000))
    assert "write it with smaller row groups" in str(error)


def test_columns_of_a_parquet_file_may_have_any_name(write):
    rows = [{"error": "a", "row": "b", "columns": "c"}, {"error": "d", "row": None}]
    path = write("a.parquet", parquet(rows))
    options = ReadOptions(columns=("reference", "candidate", "ignore"))
    texts = [c.text for c in read_judgments([path], TABLE, options).candidates]
    assert texts == ["b", ""]


def test_a_list_of_nulls_is_refused_before_it_is_unpacked(tmp_path, refusal):
    values = pa.ListArray.from_arrays(pa.array([0, 3_000_000]), pa.nulls(3_000_000, pa.string()))
    path = tmp_path / "nulls.parquet"
    pq.write_table(pa.table({"answer": ["a"], "gold": values}), path)
    assert path.stat().st_size < 10_000
    error = refusal(read_judgments, [path], TABLE)
    assert "1: gold: the lists of the next 200 rows have 3,000,000 values" in str(error)


def test_a_file_that_ends_the_reading_process_is_refused(write, refusal):
    """pyarrow ends its process for some damaged files; this one is read half."""
    path = write("a.parquet", parquet([{"gold": "a", "answer": "b"}]))
    content = bytearray(path.read_bytes())
    for at in range(len(content) - 200, len(content) - 8, 3):
        content[at] ^= 0x5A
    assert "cannot be read as Parquet" in str(
        refusal(read_judgments, [write("bad.parquet", bytes(content))], TABLE)
    )


def test_a_dictionary_of_a_parquet_file_is_not_unpacked_for_every_row(write, refusal):
    rows = [{"gold": "a" * 5000, "answer": "b"}] * 300
    path = write("a.parquet", parquet(rows))
    assert path.stat().st_size < 20_000
    error = refusal(read_judgments, [path], TABLE, limits=Limits(max_unpacked_bytes=1_000_000))
    assert "has more than 1,000,000 characters of text" in str(error)


def test_nested_members_of_objects_are_columns(write):
    row = {"question": "q", "answers": {"text": ["a", "b"], "start": [1]}, "prediction": "p"}
    (candidate,) = read_judgments([write("squad.json", [row])], TABLE).candidates
    assert candidate.instance.references == ("a", "b")


def test_a_parquet_file_with_the_fields_of_the_format_concord_is_that(write):
    rows = [{"id": "1", "references": ["a"], "candidate": "b", "score": 3.0, "system": None}]
    path = write("c.parquet", parquet(rows))
    assert detect_format(path) == "concord"
    (candidate,) = read_judgments([path], "concord").candidates
    assert (candidate.key, candidate.score, candidate.system) == ("1", 3.0, "")


def test_the_preview_shows_the_first_rows_of_each_column(tmp_path: Path, write):
    preview = preview_table(write("a.csv", "gold,x\n" + "a,b\n" * 9))
    assert preview.samples == [["a"] * 4, ["b"] * 4]
