"""The recipes in the box: the TOML files of this folder, by their names."""

from __future__ import annotations

from pathlib import Path

from concord.formats.recipes.recipe import FormatRecipe, read_recipe

FOLDER = Path(__file__).parent
RECIPES: dict[str, FormatRecipe] = {
    recipe.name: recipe for recipe in map(read_recipe, sorted(FOLDER.glob("*.toml")))
}
