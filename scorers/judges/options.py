"""What the commands that train judges share: their options, and reading them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorers.errors import TrainingError
from scorers.judgments import FORMATS
from scorers.training_options import (
    TrainingProgress,
    command_line,
    share,
    shown,
    training_settings,
)

if TYPE_CHECKING:
    from scorers.judges.form import Head
    from scorers.judges.plan import Recipe
    from scorers.judges.training import Run
    from scorers.learned.card import Card

JUDGMENT_FORMATS = FORMATS
KEYPHRASE_FORMATS = ("squad", "hotpotqa", "msmarco", "qamr", "trecqa")


def add_judgment_options(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    """The options that say which judgments to train on, and on which parts of them."""
    option = parser.add_argument
    option("--data", action="append", required=True, metavar="FORMAT:FILE",
           help=f"judgments as {', '.join(formats)}; may be given several times")  # fmt: skip
    option("--dev", action="append", default=[], metavar="FORMAT:FILE",
           help="dev judgments, instead of a draw")  # fmt: skip
    option("--dev-share", type=share, default=0.1, help="dev, as a share of the passages")
    option("--test-share", type=share, default=0.0, help="test, never trained on, likewise")
    option("--split-seed", type=int, default=1, help="draws the parts")
    option("--train-share", type=share, default=1.0,
           help="train on a draw of this share of the other passages")  # fmt: skip
    option("--without", action="append", default=[], metavar="CONSTITUENT",
           help="leave a constituent out of train and dev")  # fmt: skip
    option("--references", choices=("all", "closest", "first"), default="all",
           help="a training example for each reference, or for one")  # fmt: skip
    option("--augment", type=words, default=(), metavar="identity,flip",
           help="make more examples of those there are")  # fmt: skip


def add_head_options(parser: argparse.ArgumentParser, loss: str | None) -> None:
    """The options of the head and of what a training starts from; a loss where it is a choice."""
    option = parser.add_argument
    if loss:
        option("--loss", choices=("mse", "logistic"), default=loss)
    option("--pretrained", default="", metavar="DIR",
           help="start from the encoder of this checkpoint, whatever its kind")  # fmt: skip
    option("--features", type=words, default=(), metavar="METRIC[,METRIC...]",
           help="scores of metrics without training as inputs to the head")  # fmt: skip
    option("--bound", type=float, default=None, metavar="B",
           help="the most the network adds to the features' score; 0: nothing")  # fmt: skip
    option("--hold-features", action="store_true", help="leave their weights as first fitted")
    option("--cache", type=Path, default=None, metavar="DIR",
           help="keep features here for other trainings on the same data")  # fmt: skip
    option("--graded", type=share, default=0.0, metavar="SHARE",
           help="draw the gold scores to the features' mean by this share")  # fmt: skip


def head_of(parsed: argparse.Namespace) -> Head:
    """The head asked for; TrainingError where it cannot be."""
    from scorers.judges.form import Head

    try:
        return Head(1, parsed.features, parsed.bound, parsed.hold_features)
    except ValueError as error:
        raise TrainingError(str(error)) from error


def recipe_of(parsed: argparse.Namespace) -> Recipe:
    """The recipe asked for; TrainingError where it cannot be."""
    from scorers.judges.plan import Recipe, Split

    keyphrases = [data_file(value, KEYPHRASE_FORMATS) for value in _given(parsed, "keyphrases")]
    try:
        return Recipe(
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


def run_of(parsed: argparse.Namespace, progress: TrainingProgress | None = None) -> Run:
    """Where and how to train."""
    from dataclasses import replace

    from scorers.judges.training import Run

    settings = training_settings(parsed, parsed.defaults)
    return Run(
        out=parsed.out,
        settings=replace(settings, best_by=parsed.best_by),
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
    """A file given as FORMAT:FILE; TrainingError where it is not."""
    format_, colon, path = value.partition(":")
    if not colon or format_ not in formats:
        raise TrainingError(f"{value}: must be FORMAT:FILE, the format one of {', '.join(formats)}")
    return Path(path), format_


def report(out: Path, card: Card) -> int:
    """Print what a training reached."""
    print(f"{out}: {shown(card.figures)}")
    return 0


def judge_parser(kinds: Any, name: str, what: str) -> argparse.ArgumentParser:
    """A parser for the training of a kind of judge."""
    parser: argparse.ArgumentParser = kinds.add_parser(
        name, help=what, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    return parser


def words(text: str) -> tuple[str, ...]:
    """A list of words, for argparse."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _given(parsed: argparse.Namespace, name: str) -> list[str]:
    values: list[str] = getattr(parsed, name, [])
    return values
