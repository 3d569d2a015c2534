"""What is understood of a file: which formats fit it, what its columns mean, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from concord.documents.inspection import Inspection, InspectionCounts
from concord.formats.concord_writer import judgment_rows, pair_rows
from concord.formats.files import printable_path
from concord.formats.limits import Limits
from concord.formats.options import ReadOptions
from concord.formats.recipes import FormatRecipe
from concord.formats.records import JudgmentFile, PairFile, WordScale, criteria_scales
from concord.formats.registry import (
    accepts,
    detect_any,
    find_recipes,
    read_judgments,
    read_pairs,
    with_kind,
)

SHOWN = 3
MAX_VALUES = 12


def read_any(
    paths: Sequence[Path],
    format: str | FormatRecipe | None = None,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> JudgmentFile | PairFile:
    """Read files of judgments or of pairs.

    Instances need no references. format: a recipe, or a name in ALL_FORMATS; by default that of
    the first file's content: a recipe in the box, else a format. Raises FormatError.
    """
    if format is None:
        format = detect_any(paths[0], limits, options)
    kind, named = with_kind(format)
    options = options or ReadOptions()
    if kind == "judgments" and accepts(named, "without_references"):
        options = replace(options, without_references=True)
    if kind == "pairs":
        return read_pairs(paths, named, options, limits)
    return read_judgments(paths, named, options, limits)


def inspect_file(
    path: Path,
    format: str | FormatRecipe | None = None,
    options: ReadOptions | None = None,
    limits: Limits | None = None,
) -> Inspection:
    """What is understood of a file. Arguments as those of `read_any`. Raises FormatError."""
    found = [] if path.is_dir() else find_recipes(path, limits)
    file = read_any([path], format, options, limits)
    report = file.report
    return {
        "file": printable_path(path.name),
        "recipe": report.format,
        "kind": "pairs" if isinstance(file, PairFile) else "judgments",
        "fits": [fit.recipe.name for fit in found if fit.is_complete],
        "near": {fit.recipe.name: fit.reason for fit in found if not fit.is_complete},
        "columns": dict(report.columns),
        "ignored": list(report.ignored),
        "ignored_more": report.ignored_more,
        "counts": _counts(file),
        "missing_words": dict(report.missing_words),
        "values": _values(file),
        "unordered": _unordered(file),
        "left_out": dict(report.left_out),
        "notes": list(report.notes),
        "first": _first(file),
    }


def _counts(file: JudgmentFile | PairFile) -> InspectionCounts:
    report = file.report
    if isinstance(file, PairFile):
        choices = [choice for pair in file.pairs for choice in pair.choices]
        sides = {(pair.instance.key, system, text) for pair in file.pairs
                 for system, text in zip(pair.systems, (pair.candidate1, pair.candidate2),
                                         strict=True)}  # fmt: skip
        return {
            "instances": report.instances,
            "candidates": len(sides),
            "pairs": len(file.pairs),
            "systems": len({one for pair in file.pairs for one in pair.systems} - {""}),
            "raters": len(file.raters),
            "criteria": 0,
            "ratings": len(choices),
            "missing": report.missing,
            "ties": sum(one.choice == "tie" for one in choices),
        }
    return {
        "instances": report.instances,
        "candidates": report.kept,
        "pairs": 0,
        "systems": len({one.system for one in file.candidates} - {""}),
        "raters": len(file.raters),
        "criteria": len(report.criteria),
        "ratings": report.ratings,
        "missing": report.missing,
        "ties": 0,
    }


def _values(file: JudgmentFile | PairFile) -> dict[str, list[float]]:
    """The different ratings of each criterion that are numbers, the lowest first, up to
    MAX_VALUES of them."""
    found: dict[str, set[float]] = {}
    words = _words(file)
    for one in () if isinstance(file, PairFile) else file.candidates:
        for name, ratings in (("", one.ratings), *((c.name, c.ratings) for c in one.criteria)):
            own = found.setdefault(name, set())
            if name not in words and len(own) <= MAX_VALUES:
                own.update(rating.value for rating in ratings)
    return {name: sorted(values)[:MAX_VALUES] for name, values in found.items() if values}


def _words(file: JudgmentFile | PairFile) -> dict[str, WordScale]:
    """The scales of words, by criterion."""
    scales = {"": file.scale}
    scales |= criteria_scales(file.candidates) if isinstance(file, JudgmentFile) else {}
    return {name: one for name, one in scales.items() if isinstance(one, WordScale)}


def _unordered(file: JudgmentFile | PairFile) -> dict[str, list[str]]:
    return {name: list(one.words) for name, one in _words(file).items() if not one.is_ordered}


def _first(file: JudgmentFile | PairFile) -> list[dict[str, Any]]:
    rows = (
        pair_rows(file.pairs, file.scale)
        if isinstance(file, PairFile)
        else judgment_rows(file.candidates, file.scale, str)
    )
    return [dict(row) for row in islice(rows, SHOWN)]
