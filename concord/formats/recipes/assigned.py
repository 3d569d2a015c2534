"""Tables whose columns people assigned, or whose headings say that they have ratings or choices.

Such a table is read by the recipe that its columns make (`columns_document`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from concord.formats.collector import RecordCollector
from concord.formats.detection import names_of
from concord.formats.errors import FormatError, Problem, quote_names
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.meanings import JUDGED_MEANINGS, KEY, MEANINGS, PAIR_MEANINGS
from concord.formats.options import ReadOptions
from concord.formats.recipes import judgments, pairs
from concord.formats.recipes.columns import columns_document
from concord.formats.recipes.names import distinct_names
from concord.formats.recipes.parsing import parse_recipe
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.recipes.shapes import are_spans
from concord.formats.tables import (
    Table,
    Unreadable,
    guess_judged,
    likely_raters,
    open_table,
    resolve_columns,
)
from concord.formats.tables.table import numeric_columns

TABLE = "table"
OPTIONS = frozenset(
    {
        *("columns", "sheet", "split", "constituent", "keys", "row_prefix", "without_references"),
        *("order", "criterion"),
    }
)
PAIR_OPTIONS = frozenset({"columns", "sheet", "split", "constituent", "for_ranking"})


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the candidates of tables, with their ratings and scores.

    The option `columns` is the meaning of each column; by default they are guessed. Only a
    candidate is required, and of a table without ratings a reference unless the option
    `without_references` is set. A missing id is "row-" and the row's number, a missing instance a
    hash of passage, question and references, the row itself where it has none of them. With several
    candidate columns, a column's heading is the system, and ends the id. With the option `keys`,
    columns may be keys: the correct answers to the criteria that their headings name; a blank cell
    has none. The ratings of several files are of the columns of the first one.
    """
    parts: list[tuple[FormatRecipe, list[SourceFile]]] = []
    known: list[tuple[Sequence[str], Sequence[str]]] = []
    for file in files:
        columns = _columns(file, collector, options)
        if columns not in known[-1:]:
            known.append(columns)
            parts.append((_recipe(*columns, options), []))
        parts[-1][1].append(file)
        if not options.keys and _has_judgments(columns[1]):
            parts[-1][1].extend(files[len(parts[-1][1]) :])
            break
    judgments.read_judgments(parts, collector, replace(options, columns=()))


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the pairs of tables. Raises FormatError for columns that make none."""
    header, meanings = _columns(files[0], collector, options)
    if "choice" not in meanings:
        message = "name two candidates or systems and the choice: candidate1, candidate2, choice"
        raise FormatError([Problem(files[0].name, None, "columns", message)])
    recipe = _recipe(header, meanings, options)
    pairs.read_pairs(recipe, collector, files, replace(options, columns=()))


def _has_judgments(meanings: Sequence[str]) -> bool:
    return not set(meanings) <= {*MEANINGS, ""} or list(meanings).count("score") > 1


def _recipe(header: Sequence[str], meanings: Sequence[str], options: ReadOptions) -> FormatRecipe:
    document = columns_document(header, meanings, TABLE)
    named = zip(header, meanings, strict=True)
    is_judged = not options.keys and _has_judgments(meanings)
    return replace(
        parse_recipe(document, names=header),
        is_tabular=not is_judged,
        needs_references=not (options.without_references or is_judged),
        keys=tuple(name for name, one in named if one == KEY) if options.keys else None,
    )


def _columns(
    file: SourceFile, collector: RecordCollector, options: ReadOptions
) -> tuple[Sequence[str], Sequence[str]]:
    """The header of a table, and the meaning of each column. Raises FormatError."""
    collector.accept_encoding(file)
    table = open_table(file, collector.limits, collector.problems, options.sheet)
    first, table = table.begin()
    numeric = numeric_columns(first)
    meanings = resolve_columns(
        table.header,
        options.columns,
        table.name,
        numeric,
        keys=options.keys,
        without_references=options.without_references,
    )
    _report_columns(collector, table, meanings, () if options.columns else numeric)
    nested = [name for at, name in enumerate(table.header)
              if any(isinstance(cells[at], Unreadable) for _, cells in first)]  # fmt: skip
    is_judged = bool({"score", "rating", "choice", KEY} & {*meanings})
    if not is_judged and are_spans(table.header):
        collector.note(
            "No judgments were read. The columns look like spans, one a row, which no table has: "
            "write JSON with a list `spans` of each text and rater."
        )
    if nested and not is_judged:
        collector.note(
            f"No judgments were read. These have lists or objects: {quote_names(nested)}. If they "
            "are judgments, write one in each row, or a recipe (how-to/add-a-format)."
        )
    return distinct_names(table.header), meanings


def _report_columns(
    collector: RecordCollector, table: Table, meanings: Sequence[str], numeric: Collection[int]
) -> None:
    """Report which columns are read and which are not, with what the file has beside the table."""
    named = list(zip(table.header, meanings, strict=True))
    collector.report.see(table.header, {name: meaning for name, meaning in named if meaning})
    collector.report.see(table.unread, {}, "beside the table: ")
    unread = [table.header[at] for at in likely_raters(table.header, meanings, numeric)]
    if unread:
        collector.note(
            f"Ignored columns with numbers only: {quote_names(unread)}. If they are raters' "
            f'ratings, write --columns "{",".join(unread)}=rating"; if they are scores, =score.'
        )


def has_pairs(file: SourceFile, options: ReadOptions, limits: Limits) -> bool:
    """Whether a table has pairs, by its headings, or by the columns that are assigned."""
    assigned = {one.rpartition("=")[2].strip() for one in options.columns}
    if assigned & {*JUDGED_MEANINGS}:
        return bool(assigned & {*PAIR_MEANINGS})
    return "choice" in guess_judged(names_of(file, limits)[1])
