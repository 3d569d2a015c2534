"""What the commands that train share: their options, the card's record of them, progress."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.learned.settings import TrainingSettings

if TYPE_CHECKING:
    from scorers.learned.loop import ProgressReport

_DEFAULTS = TrainingSettings()


def add_training_options(
    parser: argparse.ArgumentParser,
    defaults: TrainingSettings = _DEFAULTS,
    several: tuple[tuple[float, ...], tuple[int, ...]] | None = None,
) -> None:
    """The options every learned metric's training has, with their defaults.

    `several` are the default learning rates and seeds: one training is made for each pair. Without
    it they are the one learning rate and the one seed of `defaults`.
    """
    rates, seeds = several or ((defaults.learning_rate,), (defaults.seed,))
    option = parser.add_argument
    option("--out", type=Path, required=True, metavar="DIR", help="the checkpoint's folder")
    option("--encoder", default=DEFAULT, help="a folder in Hugging Face's form, or a hub name")
    option("--epochs", type=int, default=defaults.epochs)
    option("--batch-size", type=int, default=defaults.batch_size)
    option("--learning-rate", type=parse_floats, default=rates, metavar="RATE[,RATE...]",
           help="the best one on the dev examples is kept")  # fmt: skip
    option("--seeds", "--seed", type=parse_integers, default=seeds, metavar="SEED[,SEED...]",
           help="a training for each; of the best rate, the best seed is kept")  # fmt: skip
    option("--max-tokens", type=int, default=defaults.max_tokens)
    option("--lora-rank", type=int, default=0, help="0 trains every weight")
    option("--precision", choices=("float32", "bf16"), default="float32")
    option("--patience", type=int, default=None, help="epochs without a better dev loss to stop")
    option("--half", action="store_true", help="store the weights in half precision")
    option("--licence", default="", help="the data's licence, for the card")
    option("--notes", default="", help="what users should know, for the card")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")


def training_settings(
    parsed: argparse.Namespace, defaults: TrainingSettings = _DEFAULTS
) -> TrainingSettings:
    """The settings given on the command line; TrainingError where they cannot be.

    Of several learning rates and seeds they have the first.
    """
    try:
        return replace(
            defaults,
            epochs=parsed.epochs,
            batch_size=parsed.batch_size,
            learning_rate=parsed.learning_rate[0],
            max_tokens=parsed.max_tokens,
            lora_rank=parsed.lora_rank,
            precision=parsed.precision,
            patience=parsed.patience,
            seed=parsed.seeds[0],
        )
    except ValueError as error:
        raise TrainingError(str(error)) from error


def parse_floats(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def parse_integers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def parse_share(text: str) -> float:
    """A share from 0 to 1, for argparse."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, not {text}")
    return value


def command_line(parsed: argparse.Namespace) -> str:
    """The command as the card records it: paths by their last part, nothing of the machine."""
    words = ["python", "-m", "scorers"]
    for word in sys.argv[1:]:
        prefix, colon, path = word.partition(":")
        if " " in word:  # a note, no path
            pass
        elif colon and prefix.isalnum():
            word = f"{prefix}:{Path(path).name}"
        elif "/" in word:
            word = Path(word).name
        words.append(word)
    return shlex.join(words)


def format_figures(figures: Mapping[str, Any]) -> str:
    """Figures in a line."""
    return ", ".join(
        f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
        for name, value in figures.items()
    )


class TrainingProgress:
    """A bar on standard error, and a line there for each epoch's dev figures."""

    def __enter__(self) -> TrainingProgress:
        from rich.console import Console
        from rich.progress import Progress, TimeRemainingColumn

        console = Console(stderr=True)
        self._bar = Progress(*Progress.get_default_columns()[:-1], TimeRemainingColumn(),
                             console=console, transient=True)  # fmt: skip
        self._bar.start()
        self._task = self._bar.add_task("training", total=None)
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def report(self, report: ProgressReport) -> None:
        """Show where the training stands."""
        loss = f", loss {report.loss:.4f}" if report.loss is not None else ""
        self._bar.update(
            self._task,
            total=report.steps,
            completed=report.step,
            description=f"epoch {report.epoch + (report.dev is None)}{loss}",
        )
        if report.dev is not None:
            self._bar.console.print(f"epoch {report.epoch}: dev {format_figures(report.dev)}")
