"""`concord estimate FILE --scores SCORES.jsonl`: systems' means from few ratings and a metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from concord.arguments import positive
from concord.cli.arguments import judges_option
from concord.cli.command import CommandResult, command, option
from concord.cli.files import JudgmentFiles, OptionalScores
from concord.cli.judged import read_score_files
from concord.estimation import METHODS, Method, Target
from concord.formats.judged_files import is_judgments
from concord.judged_frames import split_judges
from concord.sampling import estimate_sampled


@dataclass(frozen=True, kw_only=True)
class EstimateInputs:
    """Files of judgments in which some candidates are rated, and scores of all."""

    judgments: JudgmentFiles
    scores: OptionalScores
    judges: Sequence[str] = judges_option()
    target: Target = option("set: this file's candidates; new: new passages of this kind", "set")
    method: Method = option(default="auto", choices=METHODS)
    budget: int | None = option(
        "a design's planned number of units: its intervals are corrected for a look after every "
        "wave", parse=positive,
    )  # fmt: skip

    def read(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """People's frame, and the scores of the file --scores and of the judges in the file."""
        path = self.scores.scores
        if path is None and not self.judges:
            raise ValueError(
                "give the scores of every candidate by --scores, or a judge by --judge"
            )
        if path is not None and not self.judges and not is_judgments([path]):
            return self.judgments.read(), self.scores.read()
        judged = split_judges(self.judgments.read(), self.judges)
        return judged.people, read_score_files(judged, [path] if path else [])


@command("systems' mean ratings, from few ratings and a metric on every candidate", plot=True)
def estimate(inputs: EstimateInputs) -> CommandResult:
    """Each system's mean rating."""
    metrics = inputs.scores.metrics
    frame, scores = inputs.read()
    report = estimate_sampled(
        frame,
        scores,
        metrics=metrics,
        target=inputs.target,
        method=inputs.method,
        budget=inputs.budget,
    )
    name = inputs.judgments.name
    document = {**report.to_json(), "file": name, "method": inputs.method}
    return CommandResult(results={name: report}, document=document)
