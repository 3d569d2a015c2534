"""`concord report FILE --out report.html`: one page on a file of judgments."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

from concord.cli.arguments import LEVEL_HELP
from concord.cli.command import command, option
from concord.cli.files import JudgmentFiles, print_report
from concord.formats import PAIR_FORMATS
from concord.formats.scores import read_scores
from concord.reliability import Level
from concord.report.page import ReportInputs, make_report


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """Files of judgments, and what else is shown."""

    judgments: JudgmentFiles
    out: Path = option(default=MISSING, metavar="REPORT.html")
    title: str | None = option("the page's title (default: the file's name)")
    metrics: str = option("metrics to compute, such as bleu-1,rouge-l", "")
    scores: Path | None = option("scores of every candidate by further metrics or judges")
    pairs: Path | None = option("a file of minimal pairs")
    pairs_from: str = option("the format of the pairs", "concord", choices=PAIR_FORMATS)
    level: Level | None = option(LEVEL_HELP)


@command("one page on a file of judgments: agreement, systems, metrics, signatures", formats=())
def report(inputs: ReportOptions) -> None:
    """Write the page."""
    scores = None if inputs.scores is None else read_scores(inputs.scores, on_report=print_report)
    page = make_report(
        ReportInputs(
            frame=inputs.judgments.read(),
            paths=inputs.judgments.files,
            title=inputs.title or inputs.judgments.name,
            level=inputs.level,
            metrics=inputs.metrics,
            scores=scores,
            scores_path=inputs.scores,
            pairs=inputs.pairs,
            pairs_format=inputs.pairs_from,
        )
    )
    inputs.out.write_text(page, encoding="utf-8")
    print(f"{inputs.out}: {len(page.encode()) / 1000:,.0f} kB")
