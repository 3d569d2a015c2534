"""`concord score FILE --metrics a,b --out OUT.jsonl`: metric scores of a file's candidates."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from concord import scoring
from concord.cli.files import add_file, read_file
from concord.cli.progress import progress_bar
from concord.formats.score_writer import write_scores
from concord.frames import FrameError


def add(commands: Any) -> None:
    """Add the command `score` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "score", help="metric scores of a file's candidates"
    )
    add_file(parser)
    option = parser.add_argument
    option("--metrics", required=True, help="such as bleu-1,rouge-l(tokens=mocha)")
    option("--multi-ref", choices=("max", "joint"), default="max")
    option("--device", choices=("auto", "cpu", "cuda"), default="auto")
    option("--out", type=Path, required=True, metavar="OUT.jsonl")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Write the metric scores of a file's candidates."""
    if not parsed.out.parent.is_dir():
        raise FrameError(f"{parsed.out}: there is no folder {parsed.out.parent}")
    frame = read_file(parsed)
    with progress_bar("scoring") as progress:
        scores = scoring.score(
            frame,
            parsed.metrics,
            multi_ref=parsed.multi_ref,
            device=parsed.device,
            progress=progress,
        )
    descriptions = scoring.metric_descriptions(scores)
    write_scores(
        parsed.out,
        frame["id"].tolist(),
        {name: scores[name].tolist() for name in scores},
        {name: row["signature"] for name, row in descriptions.items()},
    )
