"""The command `evaluate` for judges."""

from __future__ import annotations

import argparse
import json

from scorers.training_options import format_figures


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
