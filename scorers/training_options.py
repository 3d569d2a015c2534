"""Shared options of the `train` commands, their record in the card, and progress reports."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.arguments import number, whole
from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.learned.settings import TrainingSettings
from scorers.training_defaults import NAMES, PAPER, QUICK, TrainingDefaults, training_defaults

if TYPE_CHECKING:
    from scorers.learned.loop import ProgressReport

# The options whose values are those of `TrainingDefaults` if they are not given.
_DEFAULT_OF = {
    "epochs": "epochs",
    "batch_size": "batch_size",
    "learning_rate": "rates",
    "seeds": "seeds",
    "max_tokens": "max_tokens",
    "lora_rank": "lora_rank",
    "patience": "patience",
    "dev_share": "dev_share",
    "references": "references",
    "design": "design",
    "shared": "shared",
    "made_questions": "made",
}


def add_training_options(parser: argparse.ArgumentParser, kind: str) -> None:
    """Add the options of every training. Call it last: it describes the defaults of all options."""
    option = parser.add_argument
    option("--defaults", choices=tuple(NAMES), default=PAPER,
           help="the values of the options that are not given: "
                + "; ".join(f"{name}, {meaning}" for name, meaning in NAMES.items()))  # fmt: skip
    option("--out", type=Path, required=True, metavar="DIR", help="the checkpoint's folder")
    option("--encoder", default=DEFAULT, help="a folder in Hugging Face's form, or a hub name")
    option("--epochs", type=int)
    option("--batch-size", type=int)
    option("--learning-rate", type=parse_floats, metavar="RATE[,RATE...]",
           help="one training for each; the best on the dev examples is used")  # fmt: skip
    option("--seeds", "--seed", type=parse_integers, metavar="SEED[,SEED...]",
           help="one training for each; the best of the best learning rate is used")  # fmt: skip
    option("--max-tokens", type=int)
    option("--lora-rank", type=int, help="0 trains every weight")
    option("--precision", choices=("float32", "bf16"), default="float32")
    option(
        "--patience",
        type=int,
        help="epochs without a better dev figure after which to stop",
    )
    option("--half", action="store_true", help="store the weights in half precision")
    option("--licence", default="", help="the licence of the data, for the card")
    option("--notes", default="", help="remarks for users, for the card")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.set_defaults(kind=kind)
    paper, quick = (training_defaults(kind, name) for name in (PAPER, QUICK))
    for action in parser._actions:
        if field := _DEFAULT_OF.get(action.dest):
            action.default = argparse.SUPPRESS
            action.help = (
                f"{action.help + ' ' if action.help else ''}(default: "
                f"{paper.text(field)}; {QUICK}: {quick.text(field)})"
            ).replace("%", "%%")


def fill_defaults(parsed: argparse.Namespace) -> TrainingDefaults:
    """Give the options that were not given their defaults. Returns these."""
    defaults = training_defaults(parsed.kind, parsed.defaults)
    for option, field in _DEFAULT_OF.items():
        if not hasattr(parsed, option):
            setattr(parsed, option, getattr(defaults, field))
    return defaults


def training_settings(parsed: argparse.Namespace) -> TrainingSettings:
    """The settings of the parsed options, after `fill_defaults`. Raises TrainingError when they are
    invalid.

    They have the first of several learning rates and seeds.
    """
    try:
        return replace(
            training_defaults(parsed.kind, parsed.defaults).settings,
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
    """Parse numbers separated by commas, for argparse."""
    return tuple(map(number, text.split(",")))


def parse_integers(text: str) -> tuple[int, ...]:
    """Parse whole numbers separated by commas, for argparse."""
    return tuple(map(whole, text.split(",")))


def command_line(parsed: argparse.Namespace) -> str:
    """The command line for the card, with file names instead of paths."""
    arguments = ["python", "-m", "scorers"]
    for argument in sys.argv[1:]:
        prefix, colon, path = argument.partition(":")
        if " " in argument:  # a note, not a path
            pass
        elif colon and prefix.isalnum():
            argument = f"{prefix}:{Path(path).name}"
        elif "/" in argument:
            argument = Path(argument).name
        arguments.append(argument)
    return shlex.join(arguments)


def format_figures(figures: Mapping[str, Any]) -> str:
    """Figures by name as one line of text."""
    return ", ".join(
        f"{name} {value:.4f}" if isinstance(value, float) else f"{name} {value}"
        for name, value in figures.items()
    )


class TrainingProgress:
    """A progress bar on standard error, with a line for the dev figures of each epoch."""

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
        """Show the progress of the training."""
        loss = f", loss {report.loss:.4f}" if report.loss is not None else ""
        self._bar.update(
            self._task,
            total=report.steps,
            completed=report.step,
            description=f"epoch {report.epoch + (report.dev is None)}{loss}",
        )
        if report.dev is not None:
            self._bar.console.print(f"epoch {report.epoch}: dev {format_figures(report.dev)}")
