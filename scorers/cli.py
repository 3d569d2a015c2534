"""The command line: list metrics, score a file, and train and evaluate metrics.

Exit codes: 0 success; 1 a metric or a training failed; 2 the command, the file or a metric's name
is wrong; 130 interrupted; 141 the reader of the output stopped.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

from concord.cli.command import progress_bar
from concord.cli.files import print_report
from concord.formats.score_writer import write_scores
from concord.metrics.items import Corpus
from concord.metrics.metric import Metric
from concord.pipes import run_to_pipe
from scorers.datasets.items import check_folder, read_items
from scorers.errors import FileError, JavaError, MetricError, ModelError, TrainingError
from scorers.file_commands import add_file_commands
from scorers.learned.checkpoint import CheckpointDescription, shipped_checkpoints
from scorers.registry import names, option_help, options, parse_metrics
from scorers.session import Session
from scorers.training_commands import add_train_command


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    return run_to_pipe(lambda: _run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    parsed = command_parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        return code
    except (MetricError, FileError) as error:
        print(error, file=sys.stderr)
        return 2
    except (JavaError, ModelError, TrainingError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def command_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="python -m scorers", description="Automatic metrics of generated answers."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="list the metrics and their options")
    listing.add_argument(
        "metrics", nargs="*", metavar="METRIC", help="show only these metrics, with their options"
    )
    listing.add_argument("--json", action="store_true", help="print all facts as JSON")
    listing.set_defaults(run=_list)
    scoring = commands.add_parser("score", help="score the candidates of a file")
    scoring.add_argument("file", type=Path, metavar="IN.jsonl")
    scoring.add_argument("--metrics", required=True, help="such as bleu-1,rouge-l(tokens=mocha)")
    scoring.add_argument("--multi-ref", choices=("max", "joint"), default="max")
    scoring.add_argument(
        "--device", choices=("auto", "cpu", "cuda"), default="auto", help="for metrics with a model"
    )
    scoring.add_argument("--out", type=Path, required=True, metavar="OUT.jsonl")
    scoring.set_defaults(run=_score)
    add_train_command(commands)
    add_file_commands(commands)
    return parser


def _list(parsed: argparse.Namespace) -> int:
    metrics = [parse_metrics(name)[0] for name in parsed.metrics or names()]
    if parsed.json:
        print(json.dumps([_metric_facts(metric) for metric in metrics], indent=1))
        return 0
    width = max(len(metric.name) for metric in metrics)
    for metric in metrics:
        direction = "" if metric.higher_is_better else " Lower is better."
        print(f"{metric.name:{width}}  {metric.summary}{direction}")
        for row in _checkpoints(metric):
            default = ", the default" if row["default"] else ""
            print(f"{'':{width}}  Checkpoint {row['name']}{default}: {row['description']}")
        if parsed.metrics:
            _print_options(metric)
    return 0


class ListedCheckpoint(CheckpointDescription):
    """`default`: whether it is the metric's default checkpoint."""

    default: bool


class MetricFacts(TypedDict):
    """A metric's facts. A bound of its range is null if the range is unbounded there."""

    name: str
    title: str
    summary: str
    family: str
    range: list[float | None]
    higher_is_better: bool
    needs: list[str]
    set_dependent: bool
    has_corpus_score: bool
    options: dict[str, str]
    checkpoints: list[ListedCheckpoint]
    option_help: dict[str, str]


def _checkpoints(metric: Metric) -> list[ListedCheckpoint]:
    """The shipped checkpoints of a learned metric; none for other metrics."""
    default = metric.spec.options.get("checkpoint")
    return [
        {**row, "default": row["name"] == default} for row in shipped_checkpoints(metric.spec.base)
    ]


def _print_options(metric: Metric) -> None:
    """Print each option with its default, and below it its help."""
    helps = option_help(metric.spec.base)
    for name, default in options(metric.spec.base).items():
        print(f"  {name}={default}")
        for line in textwrap.wrap(helps[name], 90):
            print(f"      {line}")


def _metric_facts(metric: Metric) -> MetricFacts:
    return {
        "name": metric.name,
        "title": metric.title,
        "summary": metric.summary,
        "family": metric.family,
        "range": [bound if math.isfinite(bound) else None for bound in metric.range],
        "higher_is_better": metric.higher_is_better,
        "needs": sorted(metric.needs),
        "set_dependent": metric.set_dependent,
        "has_corpus_score": metric.has_corpus_score,
        "options": options(metric.spec.base),
        "checkpoints": _checkpoints(metric),
        "option_help": option_help(metric.spec.base),
    }


def _score(parsed: argparse.Namespace) -> int:
    metrics = parse_metrics(parsed.metrics, parsed.multi_ref)
    needs = frozenset[str]().union(*(metric.needs for metric in metrics))
    ids, items = read_items(parsed.file, needs, print_report)
    check_folder(parsed.out)
    corpus = Corpus.from_references(item.references for item in items)
    with progress_bar("scoring") as progress, Session(parsed.device) as session:
        scores = session.score_all(metrics, items, corpus, progress)
    try:
        write_scores(
            parsed.out,
            ids,
            {name: values.tolist() for name, values in scores.items()},
            {metric.name: metric.signature(corpus) for metric in metrics},
        )
    except OSError as error:
        raise FileError(f"{parsed.out}: {error.strerror}") from error
    return 0
