"""`concord leaderboard FILE --metrics a,b --scores SCORES`: metrics' agreement with people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from concord import boards
from concord.cli.files import add_file, file_name, read_file
from concord.cli.judged import read_score_files
from concord.cli.plots import add_plot, write_plot
from concord.cli.progress import progress_bar
from concord.cli.tables import print_board, print_json
from concord.judged_frames import split_judges
from concord.meta.board import GROUPINGS
from concord.scoring import score


def add(commands: Any) -> None:
    """Add the command `leaderboard` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "leaderboard", help="each metric's agreement with people on a file of judgments"
    )
    add_file(parser)
    option = parser.add_argument
    option("--metrics", default="", help="to compute, such as bleu-1,rouge-l(tokens=mocha)")
    option("--scores", nargs="+", type=Path, default=[], metavar="SCORES",
           help="files of scores by further metrics or judges, joined by id")  # fmt: skip
    option("--lower-is-better", nargs="+", default=[], metavar="METRIC",
           help="metrics of --scores whose lower scores are better")  # fmt: skip
    option("--multi-ref", choices=("max", "joint"), default="max")
    option("--by", choices=GROUPINGS, help="a row for each group and metric")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--format", choices=("table", "json", "csv"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the leaderboard of a file of judgments."""
    if not parsed.metrics and not parsed.scores:
        raise ValueError("name metrics to compute by --metrics, or files of scores by --scores")
    frame = read_file(parsed)
    stored = None
    if parsed.scores:
        table = read_score_files(split_judges(frame, []), parsed.scores)
        stored = boards.stored_scores(
            frame,
            table.reset_index(drop=True),
            lower_is_better=parsed.lower_is_better,
            signatures=table.attrs["signatures"],
        )
    computed = None
    if parsed.metrics:
        with progress_bar("scoring") as progress:
            computed = score(
                frame,
                parsed.metrics,
                multi_ref=parsed.multi_ref,
                device=parsed.device,
                progress=progress,
            )
    board = boards.leaderboard(
        frame, scores=boards.all_scores(computed, stored), by=parsed.by, name=file_name(parsed)
    )
    write_plot(parsed, file_name(parsed), board.forest())
    if parsed.format == "json":
        print_json(board.to_json())
    elif parsed.format == "csv":
        print(board.to_csv(), end="")
    else:
        print_board(board.document, sys.stdout)
