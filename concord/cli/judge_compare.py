"""`concord judge-compare FILE --scores OLD NEW`: is a judge's new prompt better?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from concord.cli.arguments import natural, positive
from concord.cli.files import add_file, print_report, read_file
from concord.cli.tables import console_for, print_json
from concord.formats.scores import read_scores
from concord.frames import cluster_codes, complete_frame
from concord.inference import Estimate
from concord.judges.versions import VersionComparison, compare_versions
from concord.sentences import counted, decimal


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "judge-compare", help="compare two versions of a judge on held-out passages"
    )
    add_file(parser)
    option = parser.add_argument
    option("--scores", nargs=2, type=Path, required=True, metavar=("OLD", "NEW"),
           help="files of scores, such as those of concord judge")  # fmt: skip
    option("--seen", type=Path, metavar="IDS",
           help="a text file with the ids of the candidates that were read to change the prompt, "
                "one a line; their passages are left out")  # fmt: skip
    option("--train", metavar="SPLIT", help="a split that was used to change the prompt")
    option("--draws", type=positive, default=1000)
    option("--seed", type=natural, default=0)
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    if parsed.seen is None and parsed.train is None:
        raise ValueError("from what was the new version made? Say it with --seen or --train")
    frame = complete_frame(read_file(parsed))
    judged = np.isfinite(frame["score"].to_numpy(np.float64))
    old, new = (_scores(path, frame)[judged] for path in parsed.scores)
    comparison = compare_versions(
        old,
        new,
        frame["score"].to_numpy(np.float64)[judged],
        cluster_codes(frame)[judged],
        seen=_seen(frame, parsed.seen, parsed.train)[judged],
        rng=np.random.default_rng(parsed.seed),
        draws=parsed.draws,
    )
    counts = {
        "candidates": len(frame),
        "without_human_score": int((~judged).sum()),
        "without_both_scores": int((~np.isfinite(old) | ~np.isfinite(new)).sum()),
    }
    if parsed.format == "json":
        print_json({"n": counts, **to_json(comparison)})
    else:
        _print(comparison, counts, sys.stdout)


def to_json(comparison: VersionComparison) -> dict[str, Any]:
    return {
        "items": comparison.items,
        "passages": comparison.passages,
        "old": comparison.old.to_json(),
        "new": comparison.new.to_json(),
        "difference": comparison.difference.to_json(),
        "error_difference": comparison.error_difference.to_json(),
        "verdict": comparison.verdict,
    }


def _scores(path: Path, frame: pd.DataFrame) -> NDArray[np.float64]:
    table = read_scores(path, on_report=print_report).reindex(frame["id"])
    if len(table.columns) != 1:
        names = ", ".join(map(str, table.columns))
        raise ValueError(f"{path} has the scores {names}; a version is one of them, in a file")
    return np.asarray(table.iloc[:, 0], dtype=np.float64)


def _seen(frame: pd.DataFrame, ids: Path | None, split: str | None) -> NDArray[np.bool_]:
    """Which candidates the new version was made from."""
    seen = np.zeros(len(frame), dtype=np.bool_)
    if ids is not None:
        names = set(ids.read_text("utf-8").split("\n")) - {""}
        if unknown := sorted(names - set(frame["id"])):
            raise ValueError(f"{ids}: '{unknown[0]}' is not the id of a candidate of the file")
        seen |= frame["id"].isin(names).to_numpy()
    if split is not None:
        in_split = (frame["split"] == split).to_numpy()
        if not in_split.any():
            raise ValueError(f"the file has no split '{split}'")
        seen |= in_split
    return seen


def _print(comparison: VersionComparison, counts: dict[str, int], out: TextIO) -> None:
    console = console_for(out)
    console.print(
        f"{comparison.items:,} held-out candidates of {counts['candidates']:,}, "
        f"{counted(comparison.passages, 'passage')}; left out: "
        f"{counts['without_human_score']:,} without a human score, "
        f"{counts['without_both_scores']:,} without a score of both versions, and the passages "
        "that were seen.\n"
        f"Pearson's r with people: old {_text(comparison.old, '')}, new "
        f"{_text(comparison.new, '')}; difference {_text(comparison.difference, '+')}.\n"
        "Mean distance from people's scores after recalibration, new less old: "
        f"{_text(comparison.error_difference, '+')}.\n"
        f"On these candidates {comparison.verdict}."
    )


def _text(figure: Estimate, sign: str) -> str:
    if figure.value is None:
        return f"undefined ({figure.reason})"
    low, high = (decimal(end, 3, sign) for end in figure.ci or (0.0, 0.0))
    return decimal(figure.value, 3, sign) + (f" ({low} to {high})" if figure.ci else "")
