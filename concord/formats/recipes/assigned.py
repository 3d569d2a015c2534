"""Tables whose columns people assigned, or whose headings say that they have ratings or choices.

Such a table is read by the recipe that its columns make (`recipe_of_columns`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from concord.formats.collector import RecordCollector
from concord.formats.errors import FormatError, Problem
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.meanings import JUDGED_MEANINGS, PAIR_MEANINGS
from concord.formats.options import ReadOptions
from concord.formats.recipes import judgments, pairs
from concord.formats.recipes.columns import RecipeNameError, recipe_of_columns
from concord.formats.recipes.detection import names_of
from concord.formats.recipes.parsing import recipe_of_toml
from concord.formats.recipes.recipe import FormatRecipe
from concord.formats.tables import judgments as tables
from concord.formats.tables.columns import guess_judged

OPTIONS = tables.OPTIONS | {"order", "criterion"}
PAIR_OPTIONS = frozenset({"columns", "sheet", "split", "constituent", "for_ranking"})


def read_judgments(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the candidates of tables, with the ratings that the columns of the first one have."""
    rated = tables.read_judgments(collector, files, options)
    if rated is not None:
        recipe = _recipe(*rated, files[0].name)
        judgments.read_judgments([(recipe, files)], collector, replace(options, columns=()))


def read_pairs(
    collector: RecordCollector, files: Sequence[SourceFile], options: ReadOptions
) -> None:
    """Read the pairs of tables. Raises FormatError for columns that make none."""
    _, header, meanings = tables.opened(files[0], collector, options)
    if "choice" not in meanings:
        message = "name two candidates or systems and the choice: candidate1, candidate2, choice"
        raise FormatError([Problem(files[0].name, None, "columns", message)])
    recipe = _recipe(header, meanings, files[0].name)
    pairs.read_pairs(recipe, collector, files, replace(options, columns=()))


def _recipe(header: Sequence[str], meanings: Sequence[str], file: str) -> FormatRecipe:
    try:
        return recipe_of_toml(recipe_of_columns(header, meanings, "table").encode())
    except RecipeNameError as error:
        raise FormatError([Problem(file, None, "columns", str(error))]) from error


def has_pairs(file: SourceFile, options: ReadOptions, limits: Limits) -> bool:
    """Whether a table has pairs, by its headings, or by the columns that are assigned."""
    assigned = {one.rpartition("=")[2].strip() for one in options.columns}
    if assigned & {*JUDGED_MEANINGS}:
        return bool(assigned & {*PAIR_MEANINGS})
    return "choice" in guess_judged(names_of(file, limits)[1])
