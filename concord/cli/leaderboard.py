"""`concord leaderboard FILE --metrics a,b`: each metric's agreement with people."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord import boards
from concord.cli.files import add_file, file_name, print_report, read_file
from concord.cli.plots import add_plot, write_plot
from concord.cli.progress import progress_bar
from concord.cli.tables import print_board, print_json
from concord.formats.score_writer import read_signatures
from concord.formats.scores import read_scores
from concord.meta.board import GROUPINGS
from concord.scoring import score

if TYPE_CHECKING:
    import pandas as pd


def add(commands: Any) -> None:
    """Add the command `leaderboard` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "leaderboard", help="each metric's agreement with people on a file of judgments"
    )
    add_file(parser)
    option = parser.add_argument
    option("--metrics", default="", help="such as bleu-1,rouge-l(tokens=mocha)")
    option("--scores", type=Path,
           help="a file of scores of every candidate, which are on the board too")  # fmt: skip
    option("--multi-ref", choices=("max", "joint"), default="max")
    option("--by", choices=GROUPINGS, help="a row for each group and metric")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--format", choices=("table", "json", "csv"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the leaderboard of a file of judgments."""
    if not parsed.metrics and parsed.scores is None:
        raise ValueError("name metrics with --metrics, or a file with --scores")
    frame = read_file(parsed)
    scores = _scores(frame, parsed)
    board = boards.leaderboard(frame, scores=scores, by=parsed.by, name=file_name(parsed))
    write_plot(parsed, file_name(parsed), board.forest())
    if parsed.format == "json":
        print_json(board.to_json())
    elif parsed.format == "csv":
        print(board.to_csv(), end="")
    else:
        print_board(board.document, sys.stdout)


def _scores(frame: pd.DataFrame, parsed: argparse.Namespace) -> pd.DataFrame:
    """The scores of the file --scores, and those of --metrics, computed."""
    stored = None
    if parsed.scores is not None:
        table = read_scores(parsed.scores, on_report=print_report)
        stored = boards.stored_scores(frame, table, signatures=read_signatures(parsed.scores))
        if not parsed.metrics:
            return stored
    with progress_bar("scoring") as progress:
        computed = score(
            frame,
            parsed.metrics,
            multi_ref=parsed.multi_ref,
            device=parsed.device,
            progress=progress,
        )
    return computed if stored is None else boards.join_scores(computed, stored)
