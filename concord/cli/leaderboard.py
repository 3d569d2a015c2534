"""`concord leaderboard FILE --metrics a,b --scores SCORES`: metrics' agreement with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from concord import boards
from concord.cli.command import CommandResult, command, option, progress_bar
from concord.cli.files import JudgmentFiles
from concord.cli.judged import read_score_files
from concord.judged_frames import split_judges
from concord.meta.board import GROUPINGS
from concord.metrics import MultiRef
from concord.scoring import Device, score


@dataclass(frozen=True, kw_only=True)
class LeaderboardInputs:
    """Files of judgments, and metrics to compute or scores of them."""

    judgments: JudgmentFiles
    metrics: str = option("to compute, such as bleu-1,rouge-l(tokens=mocha)", "")
    scores: Sequence[Path] = option(
        "files of scores by further metrics or judges, joined by id", (), metavar="SCORES"
    )
    lower_is_better: Sequence[str] = option(
        "metrics of --scores whose lower scores are better", (), metavar="METRIC"
    )
    multi_ref: MultiRef = option(default="max")
    by: str | None = option("a row for each group and metric", choices=GROUPINGS)
    device: Device = option(default="auto")


@command(
    "each metric's agreement with people on a file of judgments",
    formats=("table", "json", "csv"),
    plot=True,
)
def leaderboard(inputs: LeaderboardInputs) -> CommandResult:
    """The leaderboard of a file of judgments."""
    if not inputs.metrics and not inputs.scores:
        raise ValueError("name metrics to compute by --metrics, or files of scores by --scores")
    file, frame = inputs.judgments.name, inputs.judgments.read()
    stored = None
    if inputs.scores:
        table = read_score_files(split_judges(frame, []), inputs.scores)
        stored = boards.stored_scores(
            frame,
            table.reset_index(drop=True),
            lower_is_better=inputs.lower_is_better,
            signatures=table.attrs["signatures"],
        )
    computed = None
    if inputs.metrics:
        with progress_bar("scoring") as progress:
            computed = score(
                frame,
                inputs.metrics,
                multi_ref=inputs.multi_ref,
                device=inputs.device,
                progress=progress,
            )
    board = boards.leaderboard(
        frame, scores=boards.all_scores(computed, stored), by=inputs.by, name=file
    )
    return CommandResult(results={"": board}, texts={"csv": board.to_csv()}, file=file)
