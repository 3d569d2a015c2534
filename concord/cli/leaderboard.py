"""`concord leaderboard FILE --metrics a,b`: each metric's agreement with people."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from concord import boards
from concord.cli.files import add_file, file_name, read_file
from concord.cli.plots import add_plot, write_plot
from concord.cli.progress import progress_bar
from concord.cli.tables import print_board, print_json
from concord.meta.board import GROUPINGS
from concord.meta.intervals import with_interval


def add(commands: Any) -> None:
    """Add the command `leaderboard` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "leaderboard", help="each metric's agreement with people on a file of judgments"
    )
    add_file(parser)
    option = parser.add_argument
    option("--metrics", required=True, help="such as bleu-1,rouge-l(tokens=mocha)")
    option("--multi-ref", choices=("max", "joint"), default="max")
    option("--by", choices=GROUPINGS, help="a row for each group and metric")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--format", choices=("table", "json", "csv"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the leaderboard of a file of judgments."""
    frame = read_file(parsed)
    with progress_bar("scoring") as progress:
        board = boards.leaderboard(
            frame,
            parsed.metrics,
            by=parsed.by,
            multi_ref=parsed.multi_ref,
            device=parsed.device,
            name=file_name(parsed),
            progress=progress,
        )
    plotted = []
    for row in board.rows:
        pearson = with_interval(row["pearson"], row.get("standing"), weighted=board.weighted)
        name = f"{row['group']}: {row['metric']}" if parsed.by else row["metric"]
        plotted.append((name, pearson.figure["value"], pearson.figure.get("ci")))
    write_plot(parsed, file_name(parsed), "Pearson's r with people", plotted)
    if parsed.format == "json":
        print_json(board.to_json())
    elif parsed.format == "csv":
        print(board.to_csv(), end="")
    else:
        print_board(board.document, sys.stdout)
