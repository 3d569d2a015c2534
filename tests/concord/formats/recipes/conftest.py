"""Recipes and files for the tests of recipes."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from concord.formats import FormatError, JudgmentFile, read_judgments
from concord.formats.recipes import FormatRecipe, parse_recipe
from tests import real_data


@pytest.fixture
def recipe() -> Callable[[str], FormatRecipe]:
    """The recipe of a TOML text, whose name is "mine" unless it says so."""

    def recipe(text: str) -> FormatRecipe:
        return parse_recipe({"name": "mine", **tomllib.loads(text)}, "mine.toml")

    return recipe


@pytest.fixture
def read_as(tmp_path: Path, recipe: Callable[[str], FormatRecipe]) -> Callable[..., JudgmentFile]:
    """Read a file of these bytes or this text by the recipe of a TOML text."""

    def read_as(toml: str, content: str | bytes, name: str = "f.csv", **more: Any) -> JudgmentFile:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return read_judgments([path], recipe(toml), **more)

    return read_as


@pytest.fixture
def refused(read_as: Callable[..., JudgmentFile]) -> Callable[..., str]:
    """The message with which a file is refused."""

    def refused(*args: Any, **more: Any) -> str:
        with pytest.raises(FormatError) as caught:
            read_as(*args, **more)
        return str(caught.value)

    return refused


@pytest.fixture
def real() -> Callable[[str], Path]:
    """The path of one real file; skips the test where it is absent."""
    return real_data.path
