"""Which formats and recipes fit a file, by the names of its columns or members."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from concord.formats import parquet
from concord.formats.delimited import header_of, separator
from concord.formats.errors import Problems, quote, quote_names
from concord.formats.files import TEXT, SourceFile, open_files
from concord.formats.limits import Limits
from concord.formats.recipes.patterns import matches_any
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.tables import TABLE_FILES, open_table
from concord.formats.unpacking import unpacked

# The name of a JSON member. In a string value the quotation marks would be escaped.
_NAME = re.compile(r'(?<!\\)"([^"\\]{1,200})"\s*:')
_HEADINGS = re.compile(r'\s*\{\s*"columns"\s*:\s*\[([^\[\]{}]*)\]')
# The first value of objects in objects, if it is a number.
_NESTED = re.compile(r'\s*((?:\{\s*"(?:[^"\\]|\\.){0,200}"\s*:\s*){2,9})-?\d')
# Between two rows.
_OBJECT_END = re.compile(r"\}\s*,?\s*(\{|\]?\s*$)")
# Rows of error spans, which have no header (see `spans.COLUMNS`).
SPAN_COLUMNS = 12
_CATEGORIES = re.compile(r'error_type"+:\s*\[')
# Of a table, of which a recipe reads some.
MAX_COLUMNS = 10_000
# A recipe fits nearly if so many of its signs are missing at most, and fewer than half.
MAX_MISSING = 2
# The names that a line of the format concord has: one of these sets, by the kind of its records.
_CONCORD: list[tuple[str, set[str]]] = [
    ("pairs", {"candidate1", "candidate2", "references"}),
    ("pairs", {"candidate1", "candidate2", "messages"}),
    ("pairs", {"candidate1", "candidate2", "system1", "ratings"}),
    ("pairs", {"candidate1", "candidate2", "system1", "score1"}),
    ("judgments", {"candidate", "references"}),
    ("judgments", {"id", "candidate", "ratings"}),
    ("judgments", {"id", "candidate", "marks", "spans"}),
    ("judgments", {"id", "messages", "candidate"}),
    ("judgments", {"id", "messages", "judged"}),
]


@dataclass(frozen=True)
class DetectedFormat:
    """A format; `kind` is "judgments" or "pairs". format: "" for any."""

    kind: str
    format: str

    def __str__(self) -> str:
        return f"{self.kind} in the format {self.format}" if self.format else self.kind

    def advice(self, expected: DetectedFormat) -> str:
        """What to do where the file was given as another format."""
        if self.kind == expected.kind:
            return f"choose the format {self.format}"
        return f"{expected} are expected"


def detect_formats(head: str) -> list[DetectedFormat]:
    """The formats without a recipe that the beginning of a text looks like. Either reader of error
    spans may be wanted: MQM is first where errors have categories."""
    start = head.lstrip()
    if start.startswith("{"):
        names = set(_NAME.findall(head))
        return [DetectedFormat(kind, "concord") for kind, signs in _CONCORD if signs <= names]
    line = start.partition("\n")[0]
    try:
        header = next(csv.reader([line], delimiter=separator(line, SPAN_COLUMNS)), [])
    except csv.Error:
        return []
    if len(header) != SPAN_COLUMNS or header[3] not in ("TGT", "BAD"):
        return []
    formats = ("mqm", "esa") if _CATEGORIES.search(head) else ("esa", "mqm")
    return [DetectedFormat("judgments", format) for format in formats]


def concord_fault(head: str, kind: str) -> str | None:
    """Why a JSON file is none of the format concord: it has not one of the fields. None where it
    has one, or where the head does not show all fields of the first object."""
    names = set(_NAME.findall(head)) if head.lstrip().startswith(("{", "[")) else set()
    signs = next(signs for known, signs in _CONCORD if known == kind)
    if not names or names & signs or not _OBJECT_END.search(head):
        return None
    return (
        f"has none of the fields {', '.join(sorted(signs))} of {DetectedFormat(kind, 'concord')}; "
        f"its fields are {quote_names(sorted(names))}"
    )


@dataclass(frozen=True)
class Fit:
    """How a recipe fits a file. missing: the signs that the file has not."""

    recipe: FormatRecipe
    missing: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether the file has all signs."""
        return not self.missing

    @property
    def reason(self) -> str:
        """Why the recipe does not fit."""
        return f"has no {', '.join(self.missing)}"


def find_fits(
    path: Path, recipes: Iterable[FormatRecipe], limits: Limits | None = None
) -> list[Fit]:
    """The recipes that fit a file or nearly do, the best first: with most signs.

    Raises FormatError for a path that is no file of a kind that recipes read.
    """
    limits = limits or Limits()
    with unpacked(path, limits) as inner:
        (file,) = open_files(inner[:1], limits, TABLE_FILES)
        return fits_of(file, recipes, limits)


def fits_of(file: SourceFile, recipes: Iterable[FormatRecipe], limits: Limits) -> list[Fit]:
    """As `find_fits`, of an open file."""
    kind, names = names_of(file, limits)
    fits = [fit for recipe in recipes if (fit := _fit(recipe, kind, names)) is not None]
    return sorted(
        fits, key=lambda fit: (len(fit.missing), -len(fit.recipe.detect), fit.recipe.kind)
    )


def _fit(recipe: FormatRecipe, kind: str, names: Collection[str]) -> Fit | None:
    """How a recipe fits a file of a kind ("table", "json", "rows") with these names; None if it
    does not even nearly. "rows" are those of Parquet, which either sort of recipe reads."""
    if not recipe.detect or (recipe.files != "any" and kind not in (recipe.files, "rows")):
        return None
    if _excluding_name(recipe, names) is not None:
        return None
    missing = missing_signs(recipe, names)
    is_near = len(missing) <= MAX_MISSING and 2 * len(missing) < len(recipe.detect)
    return Fit(recipe, missing) if is_near else None


def missing_signs(recipe: FormatRecipe, names: Collection[str]) -> tuple[str, ...]:
    """The signs of a recipe that are not among names of columns or members."""
    return tuple(
        text
        for patterns, text in zip(recipe.detect, recipe.detect_texts, strict=True)
        if not any(matches_any(patterns, name) for name in names)
    )


def _excluding_name(recipe: FormatRecipe, names: Iterable[str]) -> str | None:
    """The first name that no file of the recipe has."""
    return next((name for name in names if matches_any(recipe.unless, name)), None)


def unfit_reason(recipe: FormatRecipe, file: SourceFile, limits: Limits) -> str | None:
    """Why a file is none of a recipe: a sign is missing or excludes it. None for others."""
    if not recipe.detect:
        return None
    kind, names = names_of(file, limits)
    if excluding := _excluding_name(recipe, names):
        return f"has {quote(excluding)}, which no file of the recipe {recipe.name} has"
    fit = _fit(recipe, kind, names)
    if fit is not None:
        return None if fit.is_complete else f"{fit.reason}, which the recipe {recipe.name} needs"
    needed = ", ".join(recipe.detect_texts)
    what = {"table": "a table", "json": "JSON"}.get(recipe.files, "a file")
    return f"is no file of the recipe {recipe.name}, which reads {what} with {needed}"


def names_of(file: SourceFile, limits: Limits) -> tuple[str, list[str]]:
    """The kind of a file as in `_fit`, and the names of its columns or members."""
    if file.kind == "parquet":
        return "rows", parquet.column_names(file.path)
    if file.kind != TEXT:
        wide = replace(limits, max_columns=MAX_COLUMNS)
        return "table", list(open_table(file, wide, Problems()).header)
    if file.head.lstrip().startswith(("{", "[")):
        names = dict.fromkeys(_NAME.findall(file.head))
        if headings := _HEADINGS.match(file.head):  # pandas' form "split"
            names |= dict.fromkeys(re.findall(r'"([^"\\]{1,200})"', headings[1]))
        if nested := _NESTED.match(file.head):
            names[f"@{len(_NAME.findall(nested[1]))} levels, number"] = None
        return "json", list(names)
    # Error spans have no header.
    return "table", [] if detect_formats(file.head) else header_of(file.head)
