"""Options of the commands that read a file of judgments, and what was read of a file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

import pandas as pd

from concord.arguments import positive
from concord.cli.command import argument, option
from concord.formats import (
    ALL_FORMATS,
    JUDGMENT_FORMATS,
    RECIPES,
    USER_OPTIONS,
    FileReport,
    FormatRecipe,
    ReadOptions,
    detect_judgments,
    option_help,
    read_recipe,
)
from concord.formats.scores import read_scores
from concord.frames import read_judgments
from concord.metrics.names import split_names


def add_options(parser: Any, kind: str = "judgments") -> None:
    """Add the options of the formats of `kind`."""
    for one in fields(ReadOptions):
        is_count = one.metadata.get("is_count", False)
        if one.name in USER_OPTIONS and (help := option_help(one.name, kind)):
            parser.add_argument(
                f"--{one.name.replace('_', '-')}",
                type=names if one.default == () else positive if is_count else str,
                default=one.default,
                help=help,
            )


def chosen_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that `add_options` added, for `ReadOptions`. values: of all options, by name."""
    return {name: values[name] for name in USER_OPTIONS if name in values}


SCORES_HELP = "scores of every candidate: JSON Lines, or a table"


def format_option(formats: Sequence[str], default: str = "by its content") -> Any:
    """The option --from: one of `formats`. default: what it is without it, in words."""
    help = f"the file's format (default: {default}): {', '.join(formats)}"
    return option(help, flag="--from", choices=formats, metavar="FORMAT")


class FileOptions(ReadOptions):
    """The options of the formats of judgments."""

    @classmethod
    def add_to(cls, parser: Any) -> None:
        """Add them to a parser."""
        add_options(parser)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> FileOptions:
        """Those of parsed options."""
        return cls(**chosen_options(values))


@dataclass(frozen=True, kw_only=True)
class StatedFormat:
    """The format that a command states."""

    source: str | None = format_option(JUDGMENT_FORMATS)
    recipe: str | None = option("the file's format: a recipe in the box, or a TOML file of your "
                                "own", metavar="RECIPE")  # fmt: skip

    @property
    def stated(self) -> str | FormatRecipe | None:
        """The recipe or name, if any. Raises FormatError, and ValueError for both."""
        if self.recipe is not None and self.source is not None:
            raise ValueError("--recipe and --from exclude each other")
        if self.recipe is not None:
            return RECIPES.get(self.recipe) or read_recipe(Path(self.recipe))
        return self.source


@dataclass(frozen=True, kw_only=True)
class JudgmentFormat(StatedFormat):
    """The format of files of judgments, with its options."""

    options: FileOptions

    def read(self, paths: Sequence[Path]) -> pd.DataFrame:
        """The judgment frame of files. Prints what was read. Raises FormatError."""
        stated = self.stated
        if stated is None:
            stated = detect_judgments(paths[0], options=ReadOptions(columns=self.options.columns))
        chosen = {name: getattr(self.options, name) for name in USER_OPTIONS}
        frame = read_judgments(paths, stated, **chosen)
        print_report(frame.attrs["report"])
        return frame


@dataclass(frozen=True, kw_only=True)
class AnyFormat(JudgmentFormat):
    """The format of files of judgments or pairs, with its options."""

    source: str | None = format_option(ALL_FORMATS)


@dataclass(frozen=True, kw_only=True)
class JudgmentFiles:
    """The files of judgments of a command."""

    files: Sequence[Path] = argument("FILE")
    format: JudgmentFormat

    @property
    def name(self) -> str:
        """The name of the files in a table."""
        return names_of(self.files)

    @property
    def criterion(self) -> str | None:
        """The criterion that is read as the score."""
        return self.format.options.criterion

    def read(self) -> pd.DataFrame:
        """The judgment frame. Prints what was read. Raises FormatError."""
        return self.format.read(self.files)


def names_of(paths: Sequence[Path]) -> str:
    """The names of files in a table."""
    return ", ".join(path.name for path in paths)


def print_report(report: FileReport) -> None:
    """Print on standard error what was read of a file, and what was not."""
    for line in report.short_lines():
        print(line, file=sys.stderr)


@dataclass(frozen=True, kw_only=True)
class OptionalScores:
    """The scores of every candidate, if there are any, and the metrics to use."""

    scores: Path | None = option(SCORES_HELP)
    metric: str | None = option("metrics to use, comma-separated (default: all in the file)")

    @property
    def metrics(self) -> list[str] | None:
        """The names of the metrics; None for all. Raises ValueError."""
        if self.metric is None:
            return None
        return [name for name in split_names(self.metric) if name]

    def read(self) -> pd.DataFrame:
        """The scores. Prints what was read. Raises FormatError."""
        assert self.scores is not None
        return read_scores(self.scores, on_report=print_report)


@dataclass(frozen=True, kw_only=True)
class Scores(OptionalScores):
    """The scores of every candidate, and the metrics to use."""

    scores: Path = option(SCORES_HELP, MISSING)


def names(text: str) -> tuple[str, ...]:
    """Parse names that are separated by commas, for argparse."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
