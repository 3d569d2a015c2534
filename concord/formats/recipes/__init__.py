"""Recipes: formats as data. A recipe is a short TOML file that says what a file's fields are."""

from concord.formats.recipes.box import RECIPES
from concord.formats.recipes.recipe import FormatRecipe, parse_recipe, read_recipe

__all__ = ["RECIPES", "FormatRecipe", "parse_recipe", "read_recipe"]
