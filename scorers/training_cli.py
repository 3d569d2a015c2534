"""The commands `train`, `evaluate` and `baseline`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from concord.arguments import share
from scorers.ava.cli import add_ava_command
from scorers.encoders import DEFAULT
from scorers.errors import TrainingError
from scorers.jsonl import FileError
from scorers.judges.options import JUDGMENT_FORMATS, build_run
from scorers.keyphrases.sources import DEVIATIONS, FORMATS
from scorers.lerc.cli import add_lerc_commands, add_pretraining_command
from scorers.training_options import (
    TrainingProgress,
    add_training_options,
    fill_defaults,
    format_figures,
)


def add_evaluation_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `evaluate` that only judges have."""
    option = parser.add_argument
    option("--part", choices=("all", "train", "dev", "test"), default="all",
           help="the part of the file, by the checkpoint's own split")  # fmt: skip
    option(
        "--by",
        choices=("constituent", "system"),
        default=None,
        help="also print figures for each group",
    )


def evaluate_on_judgments(parsed: argparse.Namespace) -> int:
    """Print a judge's figures on a file of judgments."""
    from scorers.judges.evaluation import evaluate_judge

    figures = evaluate_judge(
        parsed.name, parsed.file, parsed.format, parsed.device, parsed.part, parsed.by
    )
    if parsed.json:
        print(json.dumps(figures))
        return 0
    print(format_figures({name: value for name, value in figures.items() if name != "groups"}))
    for name, group in figures.get("groups", {}).items():
        print(f"{name}: {format_figures(group)}")
    return 0


def add_training_commands(commands: Any) -> None:
    """Add the commands `train`, `evaluate` and `baseline`."""
    training = commands.add_parser("train", help="train a learned metric")
    kinds = training.add_subparsers(required=True, metavar="NAME")
    _add_kpqa_command(kinds)
    add_lerc_commands(kinds)
    add_pretraining_command(kinds)
    add_ava_command(kinds)
    evaluating = commands.add_parser("evaluate", help="evaluate a learned metric on a file")
    evaluating.add_argument(
        "name",
        metavar="NAME",
        help="a shipped checkpoint, such as kpqa or lerc-features, or a folder",
    )
    evaluating.add_argument("file", type=Path, metavar="FILE")
    evaluating.add_argument("--format", required=True, choices=(*FORMATS, *JUDGMENT_FORMATS))
    add_evaluation_options(evaluating)
    evaluating.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    evaluating.add_argument("--json", action="store_true")
    evaluating.set_defaults(run=_evaluate)
    baseline = commands.add_parser(
        "baseline", help="compute BERTScore of unrelated texts, for rescaling"
    )
    baseline.add_argument("file", type=Path, metavar="TEXTS", help="texts in UTF-8, one a line")
    baseline.add_argument("--encoder", default=DEFAULT)
    baseline.add_argument("--pairs", type=int, default=20_000)
    baseline.add_argument("--seed", type=int, default=1)
    baseline.add_argument(
        "--source", default="", help="a description of the texts, stored in the file"
    )
    baseline.add_argument("--out", type=Path, required=True, metavar="OUT.json")
    baseline.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    baseline.set_defaults(run=_baseline)


def _add_kpqa_command(kinds: Any) -> None:
    kpqa = kinds.add_parser(
        "kpqa",
        help="the keyphrase predictor",
        description="Train the keyphrase predictor. The dev examples of all trainings are those "
        "of a tenth of the passages, drawn by the first seed.",
        epilog=f"Deviations from KPQA's data. {' '.join(DEVIATIONS.values())}",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    kpqa.add_argument(
        "--data",
        action="append",
        required=True,
        metavar="FORMAT:FILE",
        help=f"a question answering set; formats: {', '.join(FORMATS)}; repeatable",
    )
    kpqa.add_argument(
        "--no-question", action="store_true",
        help="train the KP ablation: the same examples, without the question in the input",
    )  # fmt: skip
    kpqa.add_argument(
        "--labels", choices=("mean", "first", "majority"), default="mean",
        help="a word's label: the share of annotators who marked it, whether the first one did, "
             "or whether more than half did",
    )  # fmt: skip
    kpqa.add_argument(
        "--made-questions", type=share, metavar="SHARE",
        help="number of generated yes/no and either/or questions, as a share of the examples",
    )  # fmt: skip
    kpqa.add_argument(
        "--share",
        type=share,
        default=1.0,
        help="share of the examples to train on",
    )
    add_training_options(kpqa, "kpqa")
    kpqa.set_defaults(run=_train_kpqa)


def _train_kpqa(parsed: argparse.Namespace) -> int:
    from scorers.keyphrases.training import KeyphraseRecipe, train_predictor

    fill_defaults(parsed)
    recipe = KeyphraseRecipe(
        asks=not parsed.no_question,
        labels=parsed.labels,
        made=parsed.made_questions,
        share=parsed.share,
    )
    with TrainingProgress() as progress:
        card = train_predictor(
            [_data_file(value) for value in parsed.data], build_run(parsed, progress), recipe
        )
    print(f"{parsed.out}: {format_figures(card.figures)}")
    return 0


def _evaluate(parsed: argparse.Namespace) -> int:
    if parsed.format in JUDGMENT_FORMATS:
        return evaluate_on_judgments(parsed)
    from scorers.keyphrases.training import evaluate_predictor

    figures = evaluate_predictor(parsed.name, parsed.file, parsed.format, parsed.device)
    print(json.dumps(figures) if parsed.json else format_figures(figures))
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
    if not colon or format_ not in FORMATS:
        raise TrainingError(
            f"--data {value} must be FORMAT:FILE, with one of the formats {', '.join(FORMATS)}"
        )
    return Path(path), format_
