"""Small workbooks that take long to parse or unpack to much."""

from __future__ import annotations

import io
import time
import zipfile

import pytest

from concord.formats import Limits, read_judgments
from tests.concord.formats.test_tables import TABLE, workbook

CELLS, TEXTS, TYPES = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "[Content_Types].xml"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
OVERRIDE = f'<Override PartName="/{TEXTS}" ContentType="{TYPE}"/></Types>'.encode()


def with_part(name: str, content: bytes) -> bytes:
    """A workbook with the elements of `content` at the end of its rows or texts."""
    packed = io.BytesIO()
    book = zipfile.ZipFile(io.BytesIO(workbook(["gold", "answer"], ["a", "b"])))
    with book as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for one in old.namelist():
            part = old.read(one).replace(b"</Types>", OVERRIDE)
            if one == name:
                part = part.replace(b"</sheetData>", content + b"</sheetData>")
            new.writestr(one, part)
        if name == TEXTS:
            new.writestr(name, content)
    return packed.getvalue()


def texts(count: int) -> bytes:
    space = b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return b'<sst xmlns="' + space + b'">' + b"<si/>" * count + b"</sst>"


@pytest.mark.parametrize(
    ("part", "make", "kilobytes"),
    [(TEXTS, lambda: texts(9_000_000), 67), (CELLS, lambda: b"<row/>" * 12_000_000, 281)],
    ids=["nine million empty texts", "twelve million empty rows"],
)
def test_a_small_file_of_many_empty_elements_is_refused_at_once(
    write, refusal, part, make, kilobytes
):
    """They took 149 and 340 seconds to parse."""
    packed = with_part(part, make())
    assert len(packed) < 1.2 * 1000 * kilobytes
    path = write("a.xlsx", packed)
    began = time.monotonic()
    assert "has more than 1,048,576 rows or texts" in str(refusal(read_judgments, [path], TABLE))
    assert time.monotonic() - began < 30


def test_a_file_that_takes_long_to_parse_ends_with_its_time(write, refusal):
    """The elements of UTF-16 are not counted beforehand."""
    content = '<?xml version="1.0" encoding="UTF-16"?>' + texts(1_500_000).decode()
    path = write("a.xlsx", with_part(TEXTS, content.encode("utf-16")))
    error = refusal(read_judgments, [path], TABLE, limits=Limits(max_seconds=3))
    assert "takes too long to read as XLSX" in str(error)
