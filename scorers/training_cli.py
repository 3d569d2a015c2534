"""The command line's `train`, `evaluate` and `baseline`: what is learned from files."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.jsonl import FileError
from scorers.learned.settings import TrainingSettings

if TYPE_CHECKING:
    from scorers.learned.loop import Report

_DEFAULTS = TrainingSettings()
_FORMATS = ("squad", "hotpotqa", "msmarco", "qamr", "trecqa")


def add_commands(commands: Any) -> None:
    """Add `train` and `evaluate` to the command line's subcommands."""
    training = commands.add_parser("train", help="train a learned metric")
    kinds = training.add_subparsers(required=True, metavar="NAME")
    _add_kpqa(kinds)
    evaluating = commands.add_parser("evaluate", help="measure a learned metric on a file")
    evaluating.add_argument("name", metavar="NAME", help="a checkpoint: kpqa, kp, or a folder")
    evaluating.add_argument("file", type=Path, metavar="FILE")
    evaluating.add_argument("--format", required=True, choices=_FORMATS)
    evaluating.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    evaluating.add_argument("--json", action="store_true")
    evaluating.set_defaults(run=_evaluate)
    baseline = commands.add_parser("baseline", help="what unrelated texts get from BERTScore")
    baseline.add_argument("file", type=Path, metavar="TEXTS", help="texts in UTF-8, one a line")
    baseline.add_argument("--encoder", default=DEFAULT)
    baseline.add_argument("--pairs", type=int, default=20_000)
    baseline.add_argument("--seed", type=int, default=1)
    baseline.add_argument("--source", default="", help="what the texts are, for the file")
    baseline.add_argument("--out", type=Path, required=True, metavar="OUT.json")
    baseline.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    baseline.set_defaults(run=_baseline)


def _add_kpqa(kinds: Any) -> None:
    kpqa = kinds.add_parser(
        "kpqa",
        help="the keyphrase predictor",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    kpqa.add_argument(
        "--data",
        action="append",
        required=True,
        metavar="FORMAT:FILE",
        help=f"a question answering set, {', '.join(_FORMATS)}; may be given several times",
    )
    kpqa.add_argument("--no-question", action="store_true", help="train the KP ablation")
    kpqa.add_argument("--labels", choices=("mean", "first", "majority"), default="mean")
    kpqa.add_argument(
        "--made-questions", type=_share, default=0.0, metavar="SHARE",
        help="yes/no and either/or questions to add, as a share of the examples",
    )  # fmt: skip
    kpqa.add_argument(
        "--share", type=_share, default=1.0, help="train on a draw of this share of the examples"
    )
    add_training_options(kpqa)
    kpqa.set_defaults(run=_train_kpqa)


def add_training_options(parser: argparse.ArgumentParser) -> None:
    """The options every learned metric's training has."""
    option = parser.add_argument
    option("--out", type=Path, required=True, metavar="DIR", help="the checkpoint's folder")
    option("--encoder", default=DEFAULT, help="a folder in Hugging Face's form, or a hub name")
    option("--epochs", type=int, default=_DEFAULTS.epochs)
    option("--batch-size", type=int, default=_DEFAULTS.batch_size)
    option("--learning-rate", type=float, default=_DEFAULTS.learning_rate)
    option("--max-tokens", type=int, default=_DEFAULTS.max_tokens)
    option("--lora-rank", type=int, default=0, help="0 trains every weight")
    option("--precision", choices=("float32", "bf16"), default="float32")
    option("--patience", type=int, default=None, help="epochs without a better dev loss to stop")
    option("--seed", type=int, default=_DEFAULTS.seed)
    option("--half", action="store_true", help="store the weights in half precision")
    option("--licence", default="", help="the data's licence, for the card")
    option("--notes", default="", help="what users should know, for the card")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")


def training_settings(parsed: argparse.Namespace) -> TrainingSettings:
    """The settings given on the command line; TrainingError where they cannot be."""
    try:
        return TrainingSettings(
            epochs=parsed.epochs,
            batch_size=parsed.batch_size,
            learning_rate=parsed.learning_rate,
            max_tokens=parsed.max_tokens,
            lora_rank=parsed.lora_rank,
            precision=parsed.precision,
            patience=parsed.patience,
            seed=parsed.seed,
        )
    except ValueError as error:
        raise TrainingError(str(error)) from error


def _train_kpqa(parsed: argparse.Namespace) -> int:
    from scorers.keyphrases.training import KeyphraseRecipe, train_predictor

    settings = training_settings(parsed)
    recipe = KeyphraseRecipe(
        asks=not parsed.no_question,
        labels=parsed.labels,
        made=parsed.made_questions,
        share=parsed.share,
    )
    with TrainingProgress() as progress:
        card = train_predictor(
            [_data_file(value) for value in parsed.data],
            parsed.out,
            settings,
            recipe,
            encoder=parsed.encoder,
            device=parsed.device,
            half=parsed.half,
            licence=parsed.licence,
            command=command_line(parsed),
            notes=parsed.notes,
            progress=progress.report,
        )
    print(f"{parsed.out}: {_shown(card.figures)}")
    return 0


def _evaluate(parsed: argparse.Namespace) -> int:
    from scorers.keyphrases.training import evaluate_predictor

    figures = evaluate_predictor(parsed.name, parsed.file, parsed.format, parsed.device)
    print(json.dumps(figures) if parsed.json else _shown(figures))
    return 0


def _baseline(parsed: argparse.Namespace) -> int:
    from scorers.bertscore.baseline import compute_baseline
    from scorers.keyphrases.sources.lines import text_lines
    from scorers.models import Models

    texts = [line for _, line in text_lines(parsed.file)]
    try:
        baseline = compute_baseline(
            texts,
            parsed.encoder,
            parsed.pairs,
            parsed.seed,
            parsed.source or parsed.file.name,
            Models(parsed.device),
        )
    except ValueError as error:
        raise FileError(f"{parsed.file}: {error}") from error
    baseline.write(parsed.out)
    print(f"{parsed.out}: F1 {', '.join(f'{f:.4f}' for _, _, f in baseline.layers)} by layer")
    return 0


def _data_file(value: str) -> tuple[Path, str]:
    format_, colon, path = value.partition(":")
    if not colon or format_ not in _FORMATS:
        raise TrainingError(
            f"--data {value}: must be FORMAT:FILE, the format one of {', '.join(_FORMATS)}"
        )
    return Path(path), format_


def _share(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"must be a share from 0 to 1, not {text}")
    return value


def command_line(parsed: argparse.Namespace) -> str:
    """The command as the card records it: paths by their last part, nothing of the machine."""
    words = ["python", "-m", "scorers"]
    for word in sys.argv[1:]:
        prefix, colon, path = word.partition(":")
        if colon and prefix in _FORMATS:
            word = f"{prefix}:{Path(path).name}"
        elif "/" in word:
            word = Path(word).name
        words.append(word)
    return shlex.join(words)


def _shown(figures: Any) -> str:
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

    def report(self, report: Report) -> None:
        """Show where the training stands."""
        loss = f", loss {report.loss:.4f}" if report.loss is not None else ""
        self._bar.update(
            self._task,
            total=report.steps,
            completed=report.step,
            description=f"epoch {report.epoch + (report.dev is None)}{loss}",
        )
        if report.dev is not None:
            self._bar.console.print(f"epoch {report.epoch}: dev {_shown(report.dev)}")
