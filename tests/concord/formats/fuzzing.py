"""Mutated files for readers, and what a reader must keep to whatever is in a file.

A reader raises FormatError and nothing else, or: every row of the file is kept, or named in the
report with the reason; every column is read or named as ignored; every text of a record stands in
the file.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from concord.formats import RECIPES, FormatError, FormatRecipe, ImportReport, Limits, ReadOptions
from concord.formats.both_orders import read_both_orders
from concord.formats.delimited import separator
from concord.formats.errors import json_path_part
from concord.formats.fields import storage_fault
from concord.formats.judge_answers import read_judge_answers
from concord.formats.labels import read_labels
from concord.formats.report import MAX_IGNORED, FileReport
from concord.formats.scores import read_scores
from concord.formats.spans import COLUMNS, read_spans
from concord.formats.tables.objects import flatten
from concord.formats.value_words import is_missing
from tests.concord.formats.format_examples import FILES, OPTIONS, read

LIMITS = Limits(max_field_chars=2_000)
# Files that are read with other functions than those of judgments and pairs.
OTHER_FILES: dict[str, tuple[str, Any]] = {
    "scores": ("s.jsonl", [{"id": "a", "scores": {"m": 0.5}}, {"id": "b", "scores": {"m": 1}}]),
    "scores of a table": ("s.csv", "id,system,m\na,x,0.5\nb,y,-1\n"),
    "labels": ("l.json", {"r1": {"a": "yes", "b": 1}, "r2": {"a": "no"}}),
    "both orders": ("o.jsonl", [{"better": 1, "as_given": 2, "swapped": None}]),
    "llmbar orders": (
        "o.json",
        [{"label": 1, "results": [{"swap = False": {"winner": "1"}, "swap = True": None}]}],
    ),
    "judge answers": ("j.jsonl", [{"labels": ["no", "yes"]}, {"id": "a", "label": "yes"}]),
}
TABLES: dict[str, tuple[str, Any]] = {
    "table": ("t.csv", "Query,Gold,Model output,Rating,x\nwhy,so,so it is,3,1\nwho,me,you,2.5,2\n"),
    "tabs": ("t.tsv", "Query\tGold\tModel output\nwhy\tso\tso it is\nwho\tme\tyou\n"),
    "columns": ("p.json", {"gold": {"0": "so", "1": "me"}, "answer": {"0": "a", "1": "b"}}),
    "document": ("d.json", {"version": 1, "data": [{"gold": "so", "answer": "a"}]}),
    "lines": ("l.jsonl", [{"gold": ["so"], "answer": "a"}, {"gold": "me", "answer": "b"}]),
}
SUBJECTS: list[tuple[str, str]] = [
    *FILES,
    *(("judgments", f"table:{name}") for name in TABLES),
    *(("other", name) for name in OTHER_FILES),
]
TOKENS = [
    *(b"%c" % code for code in b",;\t\"'\n\r{}[]:\\ -.0\x00\xff"),
    *(b"null", b"NaN", b"1e999", b"-1", b"\r\n", b'""', b"\\ud800", b"\xef\xbb\xbf"),
    *("\u2212".encode(), "\u2028".encode(), b"1,000", b"true", b"/", b"'", b"candidate"),
]
VALUES = st.sampled_from(
    [
        *(None, True, False, 0, 1, -1, 2, 3, 4.5, 10**400, float("nan"), float("inf")),
        *("", " ", "a", "1", "-2", "\u22122", "1,000", "\0", "\ud800", "x" * 600),
        *([], {}, ["a"], [1], {"a": 1}, [[]]),
    ]
)


def content_of(subject: tuple[str, str]) -> tuple[str, Any]:
    """The name and the content of a good file."""
    kind, format = subject
    if kind == "other":
        return OTHER_FILES[format]
    if format.startswith("table:"):
        return TABLES[format.removeprefix("table:")]
    return FILES[kind, format]


@st.composite
def mutated(draw: st.DrawFn, subject: tuple[str, str]) -> bytes:
    """A good file with a few changes of values, members, rows or bytes."""
    name, content = content_of(subject)
    if isinstance(content, str):
        data = content.encode()
    else:
        for _ in range(draw(st.integers(0, 2))):
            content = _changed(draw, content)
        lines = content if name.endswith(".jsonl") and isinstance(content, list) else [content]
        data = "\n".join(json.dumps(line) for line in lines).encode()
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.sampled_from([0, 0, 0, 1, 1, 3, 20, 10**6])))
        data = data[:at] + draw(st.sampled_from([b"", data[at:end], *TOKENS])) + data[end:]
    return data


def _changed(draw: st.DrawFn, content: Any) -> Any:
    """The content with one value replaced, left out, repeated or renamed."""
    paths = [path for path in _paths(content) if path]
    if not paths:
        return draw(VALUES)
    path = draw(st.sampled_from(paths))
    return _replace(content, path, draw(st.sampled_from(["set", "drop", "repeat", "rename"])), draw)


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _paths(item, (*path, key))


def _replace(value: Any, path: tuple[Any, ...], change: str, draw: st.DrawFn) -> Any:
    key, *rest = path
    copied = value.copy()
    if rest:
        copied[key] = _replace(value[key], tuple(rest), change, draw)
    elif change == "drop":
        del copied[key]
    elif change == "repeat" and isinstance(copied, list):
        copied.insert(key, copied[key])
    elif change == "rename" and isinstance(copied, dict):
        copied[draw(st.sampled_from(["id", "extra", "score", "a.b", ""]))] = copied.pop(key)
    else:
        copied[key] = draw(VALUES)
    return copied


def check(subject: tuple[str, str], path: Path) -> bool:
    """Read a file and check what the reader did with it. Returns whether it was accepted."""
    kind, format = subject
    try:
        if kind == "other":
            _check_other(format, path)
            return True
        format = "table" if format.startswith("table:") else format
        options: ReadOptions | None = OPTIONS.get(format)
        file = read(kind, format, path, options=options, limits=LIMITS)
    except FormatError as error:
        assert 1 <= len(error.problems) <= min(20, error.total)
        assert all(str(one).isprintable() and one.message for one in error.problems)
        return False
    report: ImportReport = file.report
    records = file.pairs if kind == "pairs" else file.candidates
    assert report.read == report.kept + sum(report.left_out.values())
    assert len(records) == report.kept
    for text in _texts([dataclasses.asdict(record) for record in records]):
        assert storage_fault(text) is None
    data = _parsed(path)
    _check_rows(kind, format, data, report, path)
    _check_columns(kind, format, data, report)
    written = {text.strip() for text in _texts(data)}
    written |= {text.replace("<v>", "").replace("</v>", "").strip() for text in written}
    if format == "google-forms":  # its headings are texts
        written |= set(_named(data[0]))
    for record in records:
        texts = (record.text,) if kind == "judgments" else (record.candidate1, record.candidate2)
        for text in texts if format != "potato" else ():  # its texts are in another file
            assert text.strip() in written or not text.strip(), (text, written)
    return True


def _named(header: list[str]) -> list[str]:
    """The headings of a table, with a blank one named by its place, as readers name it."""
    return [name.strip() or f"column {at}" for at, name in enumerate(header, start=1)]


def _check_other(format: str, path: Path) -> None:
    """Read a file that is none of judgments or pairs: as many rows are read as it has."""
    reports: list[FileReport] = []
    data = _parsed_or_none(path)
    if format.startswith("scores"):
        table = read_scores(path, limits=LIMITS, on_report=reports.append)
        assert reports[0].read == len(table) == len(_rows(data))
        assert not any(map(storage_fault, map(str, (*table.index, *table.columns))))
        return
    if format == "labels":
        labels = read_labels(path, limits=LIMITS, on_report=reports.append)
        assert not any(map(storage_fault, [*labels, *chain(*labels.values())]))
        assert {name: set(items) for name, items in labels.items()} == {
            name: {
                item for item, label in items.items() if label is not None and not is_missing(label)
            }
            for name, items in data.items()
        }
    elif format == "judge answers":
        answers = read_judge_answers(path, limits=LIMITS).answers
        assert not any(storage_fault(one.id) for one in answers)
        rows = _rows(data)
        has_header = "id" not in rows[0] and rows[0].keys() & {"labels", "scale"}
        assert len(answers) == len(rows) - bool(has_header)
    else:
        name = "llmbar" if format == "llmbar orders" else "concord"
        pairs = read_both_orders(path, name, LIMITS, on_report=reports.append)
        assert reports[0].read == len(pairs) == len(_rows(data))


def _parsed_or_none(path: Path) -> Any:
    try:
        return _parsed(path)
    except ValueError:
        return None


def _parsed(path: Path) -> Any:
    """The file by other means than the readers': a JSON document, or a list of rows."""
    data = path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:  # recipes read it
        text = data.decode("cp1252")
    if not text.lstrip().startswith(("{", "[")):
        first = text.lstrip("\r\n").partition("\n")[0]
        width = None if path.suffix != ".csv" or "TGT" not in text else len(COLUMNS)
        quoting = csv.QUOTE_NONE if path.name == "mt.csv" else csv.QUOTE_MINIMAL
        mark = separator(first, width)
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, quoting=quoting)
        return [row for row in reader if any(cell.strip() for cell in row)]
    try:
        return json.loads(text)
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def _rows(data: Any) -> list[Any]:
    """The rows of a file; those of a table without its header."""
    if isinstance(data, dict):
        lists = [
            value
            for value in data.values()
            if isinstance(value, list) and value and isinstance(value[0], dict)
        ]
        if len(lists) == 1:
            return lists[0]
        if len(data) > 1 and all(isinstance(one, dict) and one for one in data.values()):
            return list(next(iter(data.values())).values())
        return [data]
    return data[1:] if data and isinstance(data[0], list) else data


def _check_rows(kind: str, format: str, data: Any, report: ImportReport, path: Path) -> None:
    """Every row of the file is kept or left out with a reason."""
    if recipe := _recipe(kind, format):
        _check_values(recipe, data, report)
    elif format in ("esa", "mqm"):
        spans = read_spans(path, format, LIMITS)
        assert len(spans.marks) + len(spans.training) + spans.repeated == len(data)
    elif kind == "pairs" and format == "table":
        assert report.choices + report.missing == len(_rows(data))
    elif format == "table":
        wide = max(1, sum(one == "candidate" for one in report.columns.values()))
        rows = _rows(data)
        if isinstance(data, dict) and "0" in data:  # rows by name
            rows = list(data.values())
        if kind == "pairs":
            assert report.choices + report.missing == len(rows), (report.choices, rows)
        else:
            assert report.read == len(rows) * wide, (report.read, rows)
    else:
        is_table = data and isinstance(data, list) and isinstance(data[0], list)
        assert report.read == len(data[1:] if is_table else lines_of(data))


def _recipe(kind: str, format: str) -> FormatRecipe | None:
    return RECIPES.get(f"{format}-pairs" if kind == "pairs" else format) or RECIPES.get(format)


def lines_of(data: Any) -> list[Any]:
    return [data] if isinstance(data, dict) else data


def _header_rows(recipe: FormatRecipe, rows: list[list[str]]) -> int:
    if not recipe.header_signs:
        return recipe.header_rows
    has_sign = [any(sign in cell for cell in row for sign in recipe.header_signs)
                for row in rows[1 : recipe.header_rows]]  # fmt: skip
    return 1 + max((at for at, one in enumerate(has_sign, start=1) if one), default=0)


def _check_values(recipe: FormatRecipe, data: Any, report: ImportReport) -> None:
    """Every record is kept or left out, and every place of a rating is read, missing or left out
    with a reason."""
    is_table = isinstance(data[0], list) if isinstance(data, list) and data else False
    lines = lines_of(data)
    records = data[_header_rows(recipe, data) :] if is_table else lines
    notes = " ".join(report.notes)
    if not recipe.rows_are_ratings and not any(recipe.records):
        assert report.read == len(records)
    if recipe.name in ("mocha", "mocha-pairs"):
        assert report.read == sum(map(len, data.values()))
    if recipe.name == "squality":
        questions = (one for row in lines for one in row["questions"].values())
        assert report.read == sum(map(len, questions))
    left_rows = sum(int(one.replace(",", "")) for one in re.findall(r"left out: ([\d,]+)", notes))
    counts = re.findall(
        r"(?:that are no numbers|that are no choice|same rater replaced): ([\d,]+)", notes
    )
    others = sum(int(one.replace(",", "")) for one in counts)
    if any(rule.only or rule.rank for rule in recipe.values):
        return  # cells that are not chosen are not counted; a ranking is several choices
    if is_table and (recipe.ratings or recipe.choices):
        header = recipe.header or data[0]
        meanings = [report.columns.get(json_path_part(name)) for name in _named(header)]
        width = sum(one in ("rating", "choice") for one in meanings)
        places = (len(records) - left_rows) * width
    elif recipe.name == "qags":
        places = sum(len(part.get("responses") or ()) for row in records
                     for part in row.get("summary_sentences") or ())  # fmt: skip
    elif recipe.name == "potato":
        rated = data["instance_id_to_label_to_value"] or {}
        places = sum(len(labels or ()) for labels in rated.values())
    elif recipe.name == "pearmut":
        places = sum(len(one or ()) for row in records for one in row.get("annotation") or ())
    elif recipe.name == "judge-bench":
        annotations = [row.get("annotations") or {} for row in data.get("instances") or ()]
        places = sum(len(one.get("individual_human_scores") or ()) for each in annotations
                     for one in each.values() if one)  # fmt: skip
    elif recipe.choices:
        places = len(records)
    else:
        return
    assert report.ratings + report.choices + report.missing + others == places


def _check_columns(kind: str, format: str, data: Any, report: ImportReport) -> None:
    """Every column is read, or named as ignored."""
    if report.ignored_more or len(report.ignored) >= MAX_IGNORED:
        return
    known = {*report.columns, *report.ignored}
    recipe = _recipe(kind, format)
    if recipe and recipe.name in ("mocha", "mocha-pairs"):
        for entries in data.values():
            for entry in entries.values():
                assert {f"*.*.{json_path_part(name)}" for name in entry} <= known
    elif recipe:
        if isinstance(data, list) and isinstance(data[0], list):
            header = recipe.header or data[0]
            assert {json_path_part(name.strip()) for name in header if name.strip()} <= known
        elif format == "nested-ratings":  # its names are data
            assert list(report.columns) == ["*", "*.*", "*.*.*"]
        elif isinstance(data, dict):
            assert {json_path_part(name) for name in data} <= known
        else:
            is_table = recipe.headings and not recipe.reads_objects
            for row in data:
                names = set(map(json_path_part, row))
                if is_table:
                    headings = map(str.strip, dict(flatten(row)))
                    names = {json_path_part(name) for name in headings if name}
                assert names <= known or {f"[].{name}" for name in names} <= known
    elif format == "table" and isinstance(data, list) and isinstance(data[0], list):
        names: Iterable[str] = (name.strip() for name in data[0] if name.strip())
        assert {json_path_part(name) for name in names} <= known
    elif format not in ("esa", "mqm", "table"):
        for row in lines_of(data):
            assert {json_path_part(name) for name in row} <= known


def _texts(value: Any) -> Iterator[str]:
    """Every text inside plain values, and numbers as the text of a cell."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, int | float):
        is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**53
        yield str(int(value)) if is_whole else repr(value)
    elif isinstance(value, dict | list | tuple):
        yield json.dumps(value, ensure_ascii=False)
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)
