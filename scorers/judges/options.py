"""Options of the commands that train judges."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.arguments import number, share
from scorers.errors import TrainingError
from scorers.judgments import FORMATS
from scorers.training_options import (
    TrainingProgress,
    command_line,
    format_figures,
    training_settings,
)

if TYPE_CHECKING:
    from scorers.judges.form import Head
    from scorers.judges.plan import TrainingRecipe
    from scorers.learned.card import CheckpointCard
    from scorers.learned.training_run import TrainingRun

JUDGMENT_FORMATS = FORMATS
KEYPHRASE_FORMATS = ("squad", "hotpotqa", "msmarco", "qamr", "trecqa")


def add_judgment_options(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """Add the options for the judgments to train on."""
    option = parser.add_argument
    option("--data", action="append", required=True, metavar="FORMAT:FILE",
           help=f"judgments; formats: {', '.join(formats)}; repeatable")  # fmt: skip
    option("--dev", action="append", default=[], metavar="FORMAT:FILE",
           help="dev judgments, instead of a random part")  # fmt: skip
    option("--dev-share", type=share, help="share of the passages for dev")
    option("--test-share", type=share, default=0.0, help="share of the passages for test")
    option("--split-seed", type=int, default=1, help="the seed of the split")
    option("--train-share", type=share, default=1.0,
           help="share of the other passages to train on")  # fmt: skip
    option("--without", action="append", default=[], metavar="CONSTITUENT",
           help="a constituent to leave out of train and dev; repeatable")  # fmt: skip
    option("--references", choices=("all", "closest", "first"),
           help="the references that make a training example")  # fmt: skip
    option("--augment", type=split_names, default=(), metavar="identity,flip",
           help="methods of data augmentation")  # fmt: skip


def add_head_options(parser: argparse.ArgumentParser, loss: str | None) -> None:
    """Add the options of head and initial weights, and `--loss` with the default `loss`, if any."""
    option = parser.add_argument
    if loss:
        option("--loss", choices=("mse", "logistic"), default=loss)
    option("--pretrained", default="", metavar="DIR",
           help="a checkpoint of any kind whose encoder weights are the initial ones")  # fmt: skip
    option("--features", type=split_names, default=(), metavar="METRIC[,METRIC...]",
           help="metrics whose scores are inputs to the head")  # fmt: skip
    option("--bound", type=number, default=None, metavar="B",
           help="the most that the network adds to the features' score; 0: nothing")  # fmt: skip
    option("--hold-features", action="store_true", help="keep the features' initial weights")
    option("--cache", type=Path, default=None, metavar="DIR",
           help="store features here for other trainings on the same data")  # fmt: skip
    option("--graded", type=share, default=0.0, metavar="SHARE",
           help="share by which gold scores move to the features' mean")  # fmt: skip


def build_head(parsed: argparse.Namespace) -> Head:
    """The head of the parsed options. Raises TrainingError when they are invalid."""
    from scorers.judges.form import Head

    try:
        return Head(1, parsed.features, parsed.bound, parsed.hold_features)
    except ValueError as error:
        raise TrainingError(str(error)) from error


def build_recipe(parsed: argparse.Namespace) -> TrainingRecipe:
    """The recipe of the parsed options. Raises TrainingError when they are invalid."""
    from scorers.judges.plan import Split, TrainingRecipe

    keyphrases = [
        data_file(value, KEYPHRASE_FORMATS) for value in getattr(parsed, "keyphrases", [])
    ]
    try:
        return TrainingRecipe(
            references=parsed.references,
            augment=parsed.augment,
            graded=parsed.graded,
            without=tuple(parsed.without),
            split=Split(parsed.dev_share, parsed.test_share, parsed.split_seed),
            start=parsed.pretrained,
            keyphrases=tuple(keyphrases),
            keyphrase_weight=getattr(parsed, "keyphrase_weight", 0.5),
            train_share=parsed.train_share,
        )
    except ValueError as error:
        raise TrainingError(str(error)) from error


def build_run(parsed: argparse.Namespace, progress: TrainingProgress | None = None) -> TrainingRun:
    """The run of the parsed options. Raises TrainingError when they are invalid."""
    from dataclasses import replace

    from scorers.learned.training_run import TrainingRun

    settings = training_settings(parsed)
    return TrainingRun(
        out=parsed.out,
        settings=replace(settings, best_by=getattr(parsed, "best_by", settings.best_by)),
        rates=parsed.learning_rate,
        seeds=parsed.seeds,
        encoder=parsed.encoder,
        device=parsed.device,
        half=parsed.half,
        licence=parsed.licence,
        command=command_line(parsed),
        notes=parsed.notes,
        cache=getattr(parsed, "cache", None),
        progress=progress.report if progress else None,
    )


def data_file(value: str, formats: Sequence[str]) -> tuple[Path, str]:
    """Parse FORMAT:FILE. Raises TrainingError for any other text."""
    format_, colon, path = value.partition(":")
    if not colon or format_ not in formats:
        raise TrainingError(
            f"{value!r} must be FORMAT:FILE, with one of the formats {', '.join(formats)}"
        )
    return Path(path), format_


def print_figures(out: Path, card: CheckpointCard) -> int:
    """Print the figures of a training; returns the exit code."""
    print(f"{out}: {format_figures(card.figures)}")
    return 0


def judge_parser(kinds: Any, name: str, what: str) -> argparse.ArgumentParser:
    """Add the parser of a `train` command."""
    parser: argparse.ArgumentParser = kinds.add_parser(
        name, help=what, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    return parser


def split_names(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list, for argparse."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
