"""What is refused before and whatever the format: the file, its encoding, its kind, options."""

import gzip
import os
import pickle
import zipfile
from pathlib import Path

import pytest

from concord.formats import (
    DATASET,
    JUDGMENT_FORMATS,
    PAIR_FORMATS,
    RECIPES,
    FormatError,
    Limits,
    Problem,
    ReadOptions,
)
from concord.formats.errors import Problems
from tests.concord.formats.format_examples import CONCORD, FILES, KPQA, read


def test_every_format_has_a_file_in_these_tests():
    # test_dataset_folder.py has the files of the format dataset.
    assert {f for kind, f in FILES if kind == "judgments"} == set(JUDGMENT_FORMATS) - {DATASET}
    assert {f for kind, f in FILES if kind == "pairs"} == set(PAIR_FORMATS) - {DATASET}


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_what_is_read_is_kept_or_left_out(write, kind, format):
    report = read(kind, format, write(*FILES[kind, format])).report
    assert report.kept >= 1
    assert report.read == report.kept + sum(report.left_out.values())


# Any file of rows is a table; some files are of two recipes, of which this is the second.
NAMED_FORMATS = [key for key in FILES if key[1] != "table" and key != ("pairs", "ragchecker")]


# Files of error spans have one form, and some tables and votes have the fields of two formats:
# either reader may be wanted.
SAME_FILES = [
    {("judgments", "esa"), ("judgments", "mqm")},
    {("judgments", "kpqa"), ("judgments", "ratings-long")},
    {("judgments", "kpqa"), ("judgments", "criteria-wide")},
    {("pairs", "mt-bench"), ("pairs", "chatbot-arena")},
    {("judgments", "mturk"), ("pairs", "mturk")},
]


@pytest.mark.parametrize("given", NAMED_FORMATS)
def test_a_file_of_another_format_is_named_as_what_it_is(write, refusal, given):
    path = write(*FILES[given])
    kinds = {"pairs": "pairs in", "judgments": "judgments in"}
    for wanted in NAMED_FORMATS:
        if wanted == given or {wanted, given} in SAME_FILES:
            continue
        error = refusal(read, *wanted, path)
        advice = f"{kinds[wanted[0]]} the format {wanted[1]} are expected"
        if wanted[0] == given[0]:
            advice = f"choose the format {given[1]}"
        assert str(error).endswith(f"{kinds[given[0]]} the format {given[1]}; {advice}"), wanted
        assert error.total == 1, wanted


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (("judgments", "concord"), '{"key": "c%d", "scores": {"m": 1}}'),
        (("pairs", "concord"), '{"better": 1, "as_given": 2, "swapped": %d}'),
    ],
)
def test_a_file_of_no_judgments_is_named_in_one_line(write, refusal, wanted, line):
    error = refusal(read, *wanted, write("a.jsonl", "".join(f"{line % k}\n" for k in range(30))))
    assert "its fields are" in str(error) and "\n" not in str(error)
    assert error.total == 1


def test_words_inside_a_text_do_not_pass_for_the_marks_of_a_format(write):
    line = {**CONCORD, "passage": '{"candidate1": 1, "candidate2": 2, "reference": 3}'}
    assert len(read("judgments", "concord", write("c.jsonl", [line])).candidates) == 1


SOME = b'{"id": "1", "references": ["r"], "candidate": "c"}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (gzip.compress(SOME, mtime=0), "is compressed with gzip"),
        ('{"a": 1}\n'.encode("utf-16") + b"\x00", "is not UTF-16: byte 0x00 at offset 20"),
        (SOME.decode().encode("utf-16-be"), "looks like UTF-16"),
        (SOME.decode().encode("utf-16-le"), "looks like UTF-16"),
        (SOME.decode().encode("utf-32"), "UTF-32"),
        (b"%PDF-1.7 ...", "is a PDF"),
        (b"\x7fELF\x02\x01\x01\x00\x00\x00\x01\x02", "is a binary file"),
        (b" \n \n", "has no"),
    ],
)
@pytest.mark.parametrize(("kind", "format"), [("judgments", "concord"), ("pairs", "concord")])
def test_what_is_no_text_file_is_named(write, refusal, content, message, kind, format):
    error = refusal(read, kind, format, write("file", content))
    assert message in str(error)
    assert error.problems[0].file.endswith("file")


@pytest.mark.parametrize("format", JUDGMENT_FORMATS)
@pytest.mark.parametrize(
    "content", [b" \n", b"[]", b"{}", b"null", b"7", b'"x"', b"question,answer"]
)
def test_a_file_with_nothing_in_it_is_refused(write, refusal, format, content):
    assert refusal(read, "judgments", format, write("file", content)).total >= 1


def test_an_archive_is_named(tmp_path, refusal):
    path = tmp_path / "file.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inside.jsonl", SOME)
    assert "zip archive" in str(refusal(read, "judgments", "concord", path))


def test_folders_missing_files_and_pipes_are_refused_together(tmp_path, refusal):
    os.mkfifo(tmp_path / "pipe")
    paths = [tmp_path, tmp_path / "none", tmp_path / "pipe", tmp_path / "a\0b"]
    messages = [p.message for p in refusal(read, "judgments", "kpqa", *paths).problems]
    assert messages[:3] == [
        "is a folder; give a file",
        "no such file",
        "is not a regular file",
    ]
    assert messages[3].startswith("cannot be read")


def test_no_file_at_all_is_refused(refusal):
    assert "no file is given" in str(refusal(read, "judgments", "kpqa"))


def test_a_file_over_the_size_limit_is_not_opened(tmp_path, refusal):
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.truncate(2 * 1024**3)  # sparse: takes no room
    error = refusal(read, "judgments", "concord", path)
    assert "has 2,147,483,648 bytes; at most 536,870,912 are allowed" in str(error)


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_too_many_rows_are_refused(write, refusal, kind, format):
    path = write(*FILES[kind, format])
    assert "more than 0 " in str(refusal(read, kind, format, path, limits=Limits(max_rows=0))) or (
        "more lists and objects than 0 rows"
        in str(refusal(read, kind, format, path, limits=Limits(max_rows=0)))
    )


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_a_byte_order_mark_is_no_part_of_the_text(write, kind, format):
    name, content = FILES[kind, format]
    marked = b"\xef\xbb\xbf" + write(name, content).read_bytes()
    assert read(kind, format, write(name, marked)).report.kept >= 1


@pytest.mark.parametrize(("kind", "format"), FILES)
def test_bytes_that_are_no_utf8_are_refused_with_line_and_offset(write, refusal, kind, format):
    name, content = FILES[kind, format]
    good = write(name, content).read_bytes().rstrip(b"\n")
    lines = good.count(b"\n") + 2
    # Recipes and tables read Windows-1252, which has no 0x81.
    byte = b"\x81" if format in RECIPES or format == "table" else b"\xe9"
    error = refusal(read, kind, format, write(name, good + b"\n" + byte + b"\n"))
    assert error.problems[0].line == lines
    offset = len(good) + 1
    assert f"byte 0x{byte.hex()} at offset {offset:,}" in error.problems[0].message


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": ' + "1" * 5000 + "}", "too many digits"),
        ('{"a": 1', "is not valid JSON"),
        ('{"a": {}, "a": {}}', 'the name "a" occurs twice'),
    ],
)
@pytest.mark.parametrize("format", ["concord", "table"])
def test_json_that_cannot_be_parsed_is_refused(write, refusal, format, content, message):
    error = refusal(read, "judgments", format, write("test.json", content))
    if content.startswith("[") and format == "concord":
        message = "one JSON object per line is expected"
    assert message in str(error)


def test_brackets_beyond_reason_are_not_parsed(write, refusal):
    path = write("test.json", "[" + "[]," * 500 + "[]]")
    error = refusal(read, "pairs", "table", path, limits=Limits(max_rows=10))
    assert "has more lists and objects than 10 rows can have" in str(error)


def test_a_name_that_comes_twice_in_a_document_is_shown_with_its_line(write, refusal):
    text = '[{"data": {\n"1": {"context": "c"},\n"2": {},\n"1": {}}}]'
    problem = refusal(read, "pairs", "table", write("t.json", text)).problems[0]
    assert (problem.line, problem.message) == (4, 'the name "1" occurs twice in one object')


@pytest.mark.parametrize(
    ("format", "options", "field"),
    [
        ("concord", ReadOptions(split="test"), "split"),
        ("kpqa", ReadOptions(reference_system="fluency"), "reference_system"),
        ("mocha", ReadOptions(reference_system="drop"), "reference_system"),
        ("evouna", ReadOptions(references=2), "references"),
        ("thumb", ReadOptions(criterion="fluency", systems=("a",)), "systems"),
        ("squality", ReadOptions(criterion="overall", references=1), "references"),
    ],
)
def test_an_option_that_the_format_does_not_know_is_refused(write, refusal, format, options, field):
    path = write(*FILES["judgments", format])
    error = refusal(read, "judgments", format, path, options=options)
    assert str(error).startswith(f"{field}: the format {format} does not accept it; it accepts ")


def test_a_format_that_does_not_exist_is_refused(refusal):
    assert "choose one of concord, table" in str(refusal(read, "pairs", "kpqa"))
    assert 'unknown format of judgments "csv"' in str(refusal(read, "judgments", "csv"))


def test_names_in_options_must_be_storable(write, refusal):
    options = ReadOptions(systems=("a\0",))
    assert "NUL" in str(refusal(read, "judgments", "kpqa", write("k.csv", KPQA), options=options))


def test_twenty_problems_are_shown_and_all_are_counted(write, refusal):
    rows = "".join(f"q{k},a,r,none{k}\n" for k in range(33))
    path = write("k.csv", "question,answer,reference1,scores\n" + rows)
    error = refusal(read, "judgments", "kpqa", path)
    assert (len(error.problems), error.total) == (20, 33)
    lines = str(error).splitlines()
    assert lines[0] == f'{path}:2: scores: is "none0"; a number is expected'
    assert lines[-1] == "... and 13 more"


def test_the_same_problem_in_many_lines_hides_no_other(write, refusal):
    rows = "".join(f"q{k},a,r,four\n" for k in range(33)) + "q,a,r,five\n"
    path = write("k.csv", "question,answer,reference1,scores\n" + rows)
    error = refusal(read, "judgments", "kpqa", path)
    assert (len(error.problems), error.total) == (2, 34)
    first, second = str(error).splitlines()
    expected = 'scores: is "four"; a number is expected (also on lines 3, 4, 5 and 29 more)'
    assert first == f"{path}:2: {expected}"
    assert second.startswith(f"{path}:35: ")


def test_the_same_problem_in_many_fields_hides_no_other():
    problems = Problems()
    for field in ("a.1", "a.2", "a.3"):
        problems.add("f.json", None, field, "is missing")
    problems.add("f.json", None, "b", "is empty")
    with pytest.raises(FormatError) as refused:
        problems.raise_if_any()
    assert str(refused.value).splitlines() == [
        "f.json: a.1: is missing (also in a.2, a.3)",
        "f.json: b: is empty",
    ]


def test_an_error_made_by_hand_counts_for_itself():
    error = FormatError([Problem("f", None, None, "m")] * 25)
    assert (len(error.problems), error.total) == (20, 25)
    again = pickle.loads(pickle.dumps(error))
    assert (again.problems, again.total, str(again)) == (error.problems, 25, str(error))


def test_a_file_name_that_is_no_utf8_can_be_printed(tmp_path, refusal):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    assert (
        str(refusal(read, "judgments", "concord", path))
        .encode("utf-8")
        .endswith(b"caf\\udce9: no such file")
    )


def test_the_report_goes_to_json_and_to_a_terminal(write):
    path = write(*FILES["judgments", "thumb"])
    report = read("judgments", "thumb", path).report
    assert report.to_json()["left_out"] == {"answers by Human-H, which are the references": 1}
    assert report.lines()[:5] == [
        f"{path} (thumb): 2 candidates read, 1 kept; instances: 1; ratings: 1.",
        "Read: SYS (id and system), seg_id (instance and id), hyp (candidate), expert_annotations "
        "(ratings).",
        "Left out: 1, answers by Human-H, which are the references.",
        f"Criterion: {report.criterion}.",
        "Gold scores: 0 from the file, 1 mean of ratings; without judgment: 0.",
    ]
