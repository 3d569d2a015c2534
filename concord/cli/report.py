"""`concord report FILE --out report.html`: one page on a file of judgments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from concord.cli.arguments import add_level
from concord.cli.files import add_file, file_name, print_report, read_file
from concord.formats import PAIR_FORMATS
from concord.formats.scores import read_scores
from concord.report.page import ReportInputs, make_report


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "report", help="one page on a file of judgments: agreement, systems, metrics, signatures"
    )
    add_file(parser)
    option = parser.add_argument
    option("--out", type=Path, required=True, metavar="REPORT.html")
    option("--title", help="the page's title (default: the file's name)")
    option("--metrics", default="", help="metrics to compute, such as bleu-1,rouge-l")
    option("--scores", type=Path, help="scores of every candidate by further metrics or judges")
    option("--pairs", type=Path, help="a file of minimal pairs")
    option("--pairs-from", choices=PAIR_FORMATS, default="concord", help="the format of the pairs")
    add_level(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    scores = None if parsed.scores is None else read_scores(parsed.scores, on_report=print_report)
    page = make_report(
        ReportInputs(
            frame=read_file(parsed),
            paths=parsed.files,
            title=parsed.title or file_name(parsed),
            level=parsed.level,
            metrics=parsed.metrics,
            scores=scores,
            scores_path=parsed.scores,
            pairs=parsed.pairs,
            pairs_format=parsed.pairs_from,
        )
    )
    parsed.out.write_text(page, encoding="utf-8")
    print(f"{parsed.out}: {len(page.encode()) / 1000:,.0f} kB")
