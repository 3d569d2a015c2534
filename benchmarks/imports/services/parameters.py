"""What an import reads: its files, options and recipe, and the options of each reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.sets.services.importing import SetInfo
from concord.formats import TABLE, FormatRecipe, Limits, ReadOptions, accepts, with_kind
from concord.formats.limits import MAX_SECONDS_IN_REQUEST, MAX_UNPACKED_IN_REQUEST
from concord.formats.recipes import recipe_of_toml

CONCORD = "concord"
# The files of `ImportFiles` besides the judgments.
ATTACHED = ("texts", "pairs", "recipe")


@dataclass(frozen=True)
class ImportParameters:
    """Parameters of an import, besides its files, their format and the set's name.

    options: options of the format. add: whether to add to the set's candidates. about: title and
    description of the set; None takes those of the previous version. recipe: the TOML of the
    recipe that reads the files, in place of a format by its name; else "".
    """

    options: ReadOptions = field(default_factory=ReadOptions)
    add: bool = False
    about: SetInfo | None = None
    recipe: str = ""

    def format(self, name: str) -> str | FormatRecipe:
        """What reads the files: the recipe, else the format of this name."""
        return recipe_of_toml(self.recipe.encode()) if self.recipe else name

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> ImportParameters:  # the values of fields
        """The inverse of `to_json`."""
        options: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
                   for name, value in values["options"].items()}  # fmt: skip
        about = None if values["about"] is None else SetInfo(**values["about"])
        return cls(ReadOptions(**options), values["add"], about, values.get("recipe", ""))


@dataclass(frozen=True)
class ImportFiles:
    """The files of an import. texts: those of the answers, for `ReadOptions.texts`. recipe: a
    recipe's TOML file, which reads the others."""

    judgments: Sequence[Path]
    pairs: Path | None = None
    texts: Path | None = None
    recipe: Path | None = None

    def files(self) -> list[Path]:
        """All but the recipe."""
        return [*self.judgments, *(path for path in (self.texts, self.pairs) if path is not None)]


def with_texts(options: ReadOptions, texts: Path | None) -> ReadOptions:
    """The options with the path of the file of texts, if there is one."""
    return options if texts is None else replace(options, texts=str(texts))


def reader_options(
    options: ReadOptions, format: str | FormatRecipe, kind: str = "judgments"
) -> ReadOptions:
    """The options of judgments or pairs that are imported: instances may have no references."""
    return replace(options, without_references=accepts(format, "without_references", kind))


def pair_options(options: ReadOptions, format: str | FormatRecipe) -> ReadOptions:
    """The options of a file of pairs: those of a table of pairs, else none."""
    names = ("columns", "sheet") if format == TABLE else ()
    of_tables = ReadOptions(**{name: getattr(options, name) for name in names})
    return reader_options(of_tables, format, "pairs")


def pair_format(format: str | FormatRecipe) -> str | FormatRecipe:
    """The format of minimal pairs beside judgments in this format."""
    is_of_judgments = isinstance(format, FormatRecipe) and format.kind == "judgments"
    return CONCORD if format == TABLE or is_of_judgments else with_kind(format)[1]


def limits_in_request() -> Limits:
    """Of a file that a request reads."""
    return Limits(
        max_bytes=settings.UPLOAD_MAX_BYTES,
        max_unpacked_bytes=MAX_UNPACKED_IN_REQUEST,
        max_seconds=MAX_SECONDS_IN_REQUEST,
    )
