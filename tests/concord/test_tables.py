"""How results look: columns of a table, and tables in a terminal, in HTML and as CSV."""

from __future__ import annotations

import io
from dataclasses import dataclass

import pytest
from rich.console import Console

from concord.inference import Estimate
from concord.tables import ResultTable, count, figure, number, point, share, text
from concord.tables.cells import table_csv
from concord.tables.html import html_table
from concord.tables.terminal import print_table


@dataclass
class Row:
    system: str
    mean: Estimate | None
    parts: dict[str, float]


ROWS = [
    Row("=first <b>", Estimate(0.5, 0.25, 0.75), {"share": 0.123, "count": 1234.4}),
    Row("second", Estimate(None, reason="constant"), {}),
    Row("third", None, {"share": 1}),
]
COLUMNS = [
    text("system"),
    figure("mean", digits=2),
    point("the mean", "mean", sign="+"),
    share("of all", "parts.share"),
    count("rated", "parts.count"),
    text("missing", "parts.absent"),
]


def printed(table: ResultTable, width: int) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_table(table, console, "file.jsonl")
    return console.file.getvalue()


def test_a_column_says_what_is_undefined_and_leaves_out_what_does_not_apply():
    shown = {one.heading: one.texts for one in ResultTable("", COLUMNS, ROWS).shown()}
    assert shown == {
        "system": ["=first <b>", "second", "third"],
        "mean": ["0.50", "undefined", ""],
        "95% interval": ["0.25 to 0.75", "", ""],
        "the mean": ["+0.500", "undefined", ""],
        "of all": ["12.3%", "", "100.0%"],
        "rated": ["1,234", "", ""],
    }


def test_the_same_table_as_html_and_csv():
    table = ResultTable("means", COLUMNS, ROWS)
    html = html_table(table, marks="people")
    assert "<caption>means</caption>" in html and "=first &lt;b&gt;" in html
    assert html.count('<svg class="interval people"') == 3 and html.count("<circle") == 1
    rows = [{"a": "=1+1", "b": {"c": [1.5, None]}}]
    csv = table_csv(ResultTable("", [text("a"), text("low", "b.c.0"), text("high", "b.c.1")], rows))
    assert csv == "a,low,high\n'=1+1,1.5,\n"


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_wide_table_is_continued_below_and_nothing_is_cut(width):
    columns = [
        text("name", lambda row: f"candidate number {row}"),
        *(figure(f"figure {k}", lambda row, k=k: (row + k / 10, (row, row + 1))) for k in range(8)),
        number("last", lambda row: row),
    ]
    out = printed(ResultTable("wide", columns, [1, 2]), width)
    assert max(map(len, out.splitlines())) <= width and "\N{HORIZONTAL ELLIPSIS}" not in out
    for k in range(8):
        assert f"1.{k}00   1.000 to 2.000" in out and f"2.{k}00   2.000 to 3.000" in out
    assert out.count("candidate number 1") == out.count("candidate number 2") >= 1
    assert out.startswith("file.jsonl: wide\n") and "2.000 \n" in out
