"""`concord score FILE --metrics a,b --out OUT.jsonl`: metric scores of a file's candidates."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

from concord import scoring
from concord.cli.command import command, option, progress_bar
from concord.cli.files import JudgmentFiles
from concord.formats.score_writer import write_scores
from concord.frames import FrameError
from concord.metrics import MultiRef


@dataclass(frozen=True, kw_only=True)
class ScoreInputs:
    """Files of judgments, metrics, and where their scores are written."""

    judgments: JudgmentFiles
    metrics: str = option("such as bleu-1,rouge-l(tokens=mocha)", MISSING)
    multi_ref: MultiRef = option(default="max")
    device: scoring.Device = option(default="auto")
    out: Path = option(default=MISSING, metavar="OUT.jsonl")


@command("metric scores of a file's candidates", formats=())
def score(inputs: ScoreInputs) -> None:
    """Write the metric scores of a file's candidates."""
    if not inputs.out.parent.is_dir():
        raise FrameError(f"{inputs.out}: there is no folder {inputs.out.parent}")
    frame = inputs.judgments.read()
    with progress_bar("scoring") as progress:
        scores = scoring.score(
            frame,
            inputs.metrics,
            multi_ref=inputs.multi_ref,
            device=inputs.device,
            progress=progress,
        )
    descriptions = scoring.metric_descriptions(scores)
    write_scores(
        inputs.out,
        frame["id"].tolist(),
        {name: scores[name].tolist() for name in scores},
        {name: row["signature"] for name, row in descriptions.items()},
    )
