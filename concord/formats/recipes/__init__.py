"""Recipes: formats as data. A recipe is a short TOML file that says what a file's fields are.

The recipes in the box are the TOML files of this folder.
"""

from __future__ import annotations

from pathlib import Path

from concord.formats.recipes.parsing import parse_recipe, read_recipe, recipe_of_toml
from concord.formats.recipes.recipe import FormatRecipe

__all__ = ["RECIPES", "FormatRecipe", "parse_recipe", "read_recipe", "recipe_of_toml"]

FOLDER = Path(__file__).parent
# By their names.
RECIPES: dict[str, FormatRecipe] = {
    recipe.name: recipe for recipe in map(read_recipe, sorted(FOLDER.glob("*.toml")))
}
