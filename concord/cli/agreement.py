"""`concord agreement FILE`: Krippendorff's alpha of the ratings in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from concord import raters
from concord.cli.arguments import (
    FILTERS,
    LEVEL_HELP,
    draws_option,
    filter_step,
    judges_option,
    seed_option,
)
from concord.cli.command import CommandResult, command, option
from concord.cli.files import JudgmentFiles
from concord.cli.judged import read_score_files
from concord.filtering import Step
from concord.judged_frames import split_judges, with_rater
from concord.reliability import Level


@dataclass(frozen=True, kw_only=True)
class AgreementInputs:
    """Files of ratings, whose agreement, and after what filter."""

    judgments: JudgmentFiles
    judges: Sequence[str] = judges_option()
    scores: Sequence[Path] = option(
        "judges' answers in files of scores, such as those of concord judge", (), metavar="SCORES"
    )
    raters: str | None = option("required if there are several groups", metavar="GROUP")
    level: Level | None = option(LEVEL_HELP)
    steps: Sequence[Step] = option(
        f"{FILTERS}; repeat it for further steps", (), filter_step,
        flag="--filter", metavar="FILTER", repeated=True,
    )  # fmt: skip
    seed: int = seed_option()
    draws: int = draws_option()


@command("Krippendorff's alpha of the ratings in a file", plot=True)
def agreement(inputs: AgreementInputs) -> CommandResult:
    """The agreement of people, and of people with each judge."""

    def of(frame: pd.DataFrame) -> raters.Agreement:
        return raters.agreement(
            frame,
            level=inputs.level,
            raters=inputs.raters,
            filter=tuple(inputs.steps),
            seed=inputs.seed,
            draws=inputs.draws,
        )

    file, frame = inputs.judgments.name, inputs.judgments.read()
    judges: dict[str, raters.Agreement] = {}
    if inputs.judges or inputs.scores:
        judged = split_judges(frame, inputs.judges)
        frame = judged.people
        judged = replace(judged, judges=read_score_files(judged, inputs.scores))
        judges = {
            str(name): of(with_rater(judged, str(name), inputs.raters))
            for name in judged.judges.columns
        }
    result = of(frame)
    document = {
        **result.to_json(),
        "file": file,
        "criterion": inputs.judgments.criterion,
        "raters": inputs.raters,
        "filter": result.ledger.to_json(),
        "seed": inputs.seed,
        "draws": inputs.draws,
    }
    if judges:
        document["judges"] = judges
    others = frame.attrs["report"].criteria
    criterion = inputs.judgments.criterion or (others and f"the score, beside {', '.join(others)}")
    parts = (file, criterion, inputs.raters and f"raters {inputs.raters}")
    name = ", ".join(filter(None, parts))
    results = {f"{name}, people" if judges else name: result}
    results |= {f"{name}, people and the judge {judge}": one for judge, one in judges.items()}
    return CommandResult(results=results, document=document, file=file)
