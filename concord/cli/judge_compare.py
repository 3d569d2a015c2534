"""`concord judge-compare FILE --scores OLD NEW`: is a judge's new prompt better?"""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from concord.cli.arguments import draws_option, seed_option
from concord.cli.command import CommandResult, command, option
from concord.cli.files import JudgmentFiles, print_report
from concord.documents.conversion import to_json
from concord.formats.scores import read_scores
from concord.frames import cluster_codes, complete_frame
from concord.judges.versions import compare_versions


@dataclass(frozen=True, kw_only=True)
class CompareInputs:
    """Files of judgments, two files of scores, and what the new version was made from."""

    judgments: JudgmentFiles
    scores: tuple[Path, Path] = option(
        "files of scores, such as those of concord judge", MISSING, metavar=("OLD", "NEW")
    )
    seen: Path | None = option(
        "a text file with the ids of the candidates that were read to change the prompt, one a "
        "line; their passages are left out", metavar="IDS",
    )  # fmt: skip
    train: str | None = option("a split that was used to change the prompt", metavar="SPLIT")
    draws: int = draws_option(help="")
    seed: int = seed_option("")


@command("compare two versions of a judge on held-out passages")
def judge_compare(inputs: CompareInputs) -> CommandResult:
    """The new version less the old one, on passages that neither was made from."""
    if inputs.seen is None and inputs.train is None:
        raise ValueError("from what was the new version made? Say it with --seen or --train")
    frame = complete_frame(inputs.judgments.read())
    gold = frame["score"].to_numpy(np.float64)
    judged = np.isfinite(gold)
    old, new = (_scores(path, frame)[judged] for path in inputs.scores)
    comparison = compare_versions(
        old,
        new,
        gold[judged],
        cluster_codes(frame)[judged],
        seen=_seen(frame, inputs.seen, inputs.train)[judged],
        rng=np.random.default_rng(inputs.seed),
        draws=inputs.draws,
    )
    counts = {
        "candidates": len(frame),
        "without_human_score": int((~judged).sum()),
        "without_both_scores": int((~np.isfinite(old) | ~np.isfinite(new)).sum()),
    }
    left_out = (
        f"Left out: {counts['without_human_score']:,} of {counts['candidates']:,} candidates "
        f"without a human score, {counts['without_both_scores']:,} without a score of both "
        "versions, and the passages that were seen."
    )
    return CommandResult(
        results={inputs.judgments.name: comparison},
        document={"n": counts, **to_json(comparison)},
        closing=[left_out],
    )


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
