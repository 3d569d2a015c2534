"""`concord replay FILE --scores SCORES.jsonl`: how few ratings would have been enough?"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from concord.cli import replay_design
from concord.cli.arguments import natural, positive
from concord.cli.files import (
    add_file,
    add_scores,
    file_name,
    print_report,
    read_file,
    selected_metrics,
)
from concord.cli.progress import progress_bar
from concord.cli.tables import console_for, new_table, print_json
from concord.estimation import METHODS, ReplayRow, default_sizes, replay_steps, to_sample
from concord.formats.scores import read_scores
from concord.meta.inference.draws import run_steps
from concord.sentences import counted


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "replay", help="sample a rated set again and again: how few ratings would be enough?"
    )
    add_file(parser)
    add_scores(parser)
    option = parser.add_argument
    option("--passages", type=_sizes,
           help="passages to rate, comma-separated (default: 5, 10, 20 and 40%%)")  # fmt: skip
    option("--method", choices=METHODS, default="auto")
    replay_design.add_options(parser)
    option("--draws", type=positive, default=200, help="samples of each size")
    option("--seed", type=natural, default=0, help="random seed")
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def _sizes(text: str) -> list[int]:
    return [positive(part.strip()) for part in text.split(",")]


def run(parsed: argparse.Namespace) -> None:
    if parsed.rule:
        if parsed.passages or parsed.method != "auto":
            raise ValueError("--passages and --method have no meaning with --rule")
        replay_design.run(parsed)
        return
    names = selected_metrics(parsed)
    sample = to_sample(read_file(parsed), read_scores(parsed.scores, on_report=print_report), names)
    count = len(np.unique(sample.passages))
    sizes = parsed.passages or default_sizes(count)
    with progress_bar("simulating") as progress:
        steps = replay_steps(
            sample,
            sizes,
            method=parsed.method,
            draws=parsed.draws,
            rng=np.random.default_rng(parsed.seed),
        )
        rows = run_steps(steps, lambda step: progress(step.done, step.total))
    if parsed.format == "json":
        document = {
            "file": file_name(parsed),
            "metrics": list(sample.metrics),
            "method": parsed.method,
            "draws": parsed.draws,
            "seed": parsed.seed,
            "passages": count,
            "systems": list(sample.names),
            "rows": [asdict(row) for row in rows],
        }
        print_json(document)
    else:
        title = f"{file_name(parsed)}: {counted(count, 'passage')}, by {', '.join(sample.metrics)}"
        _print(rows, title, sys.stdout)


def _print(rows: list[ReplayRow], title: str, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(title)
    headers = ["passages", "ratings", "coverage", "plain", "width", "plain", "one rating counts as"]
    for header in (*headers, "metric used", "pairs resolved", "plain", "wrong"):
        table.add_column(header, justify="right")
    for row in rows:
        table.add_row(
            f"{row.passages:,}",
            f"{row.rated:,.0f}",
            _share(row.coverage),
            _share(row.plain_coverage),
            _number(row.width),
            _number(row.plain_width),
            _number(row.saving),
            _share(row.used),
            _share(row.correct),
            _share(row.plain_correct),
            _share(row.wrong),
        )
    console.print(table)
    console.print(
        "Coverage: 95% intervals that hold the set's own mean. Pairs resolved: pairs of systems "
        "whose order is significant and right.",
        soft_wrap=True,
    )


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3g}"
