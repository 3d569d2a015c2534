"""Results in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from concord.tables import ResultTable, ShownColumn
from concord.tables.result import Result

PIPE_WIDTH = 160
"""Width of output to a file or a pipe."""
SPACE = 3
"""Between columns."""
MAX_WORD = 24
"""Longer words of a column of texts may be broken into lines."""


def print_result(name: str, result: Result, out: TextIO) -> None:
    """Print the tables of a result, the first below the name of its data, and the sentences."""
    console = console_for(out)
    for table in result.tables():
        print_table(table, console, name)
        name = ""
    print_lines(([f"{name}:"] if name else []) + list(result.sentences()), console)


def print_lines(lines: Iterable[str], console: Console) -> None:
    """Print sentences; in a terminal, lines break between words."""
    for line in lines:
        console.print(line, markup=False, soft_wrap=not console.is_terminal)


def print_table(table: ResultTable, console: Console, name: str = "") -> None:
    """Print a table. Columns that do not fit side by side are continued below, beside the first
    one again; nothing is cut."""
    title = ": ".join(filter(None, (name, table.title)))
    if title:
        console.print(Text(title, style="table.title"), soft_wrap=not console.is_terminal)
    for columns in _fitting(table.shown(), console.width):
        rich = Table(box=SIMPLE_HEAD, pad_edge=False)
        widths = [max(_width(one), SPACE + len(one.heading)) for one in columns]
        is_full = sum(widths) > console.width
        for one in columns:
            justify: JustifyMethod = "left" if one.is_text else "right"
            # Numbers do not wrap; their headings do where there is no room.
            heading = fill(one.heading, _width(one) - SPACE) if is_full else one.heading
            rich.add_column(
                Text(heading), overflow="fold", justify=justify, no_wrap=not one.is_text
            )
        for row in zip(*(one.texts for one in columns), strict=True):
            rich.add_row(*map(Text, row))
        console.print(rich)


def _fitting(columns: Sequence[ShownColumn], width: int) -> Iterator[list[ShownColumn]]:
    """The columns in groups that fit into the width, each with the first column before it. A
    figure and its interval are together."""
    first, *others = columns
    part, room = [first], width - _width(first)
    for at, one in enumerate(others):
        needed = _width(one)
        if one.at == 0 and at + 1 < len(others) and others[at + 1].at:
            needed += _width(others[at + 1])
        if one.at == 0 and needed > room and len(part) > 1:
            yield part
            part, room = [first], width - _width(first)
        part.append(one)
        room -= _width(one)
    yield part


def _width(column: ShownColumn) -> int:
    """The width that a column needs, with the space beside it."""
    words = column.heading.split()
    for text in column.texts:
        words += text.split() if column.is_text else [text]
    longest = max(map(len, words), default=0)
    return SPACE + (min(longest, MAX_WORD) if column.is_text else longest)


def console_for(out: TextIO) -> Console:
    """A console without highlighting, with PIPE_WIDTH where the output is not a terminal."""
    console = _Console(file=out, highlight=False)
    return console if console.is_terminal else _Console(file=out, highlight=False, width=PIPE_WIDTH)


class _Console(Console):
    """A console whose broken pipe is an error: `concord.pipes` handles it."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
