"""The report of a set, as `concord report` writes it of files, from analyses that are stored."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from benchmarks.analyses import kinds
from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import AnalysisKind, P, R
from benchmarks.analyses.leaderboards import leaderboard
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import work
from benchmarks.exports.services import exports
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from concord import findings
from concord.documents.board import BoardRow, ScoringRow
from concord.documents.comparison import AgreementAnalysis
from concord.documents.findings import RatersAnalysis
from concord.estimation import EstimationError
from concord.formats import FormatError
from core.refusals import RefusedError

if TYPE_CHECKING:  # the pages of the site start without pandas
    import pandas as pd

    from concord.boards import ComparedMetrics
    from concord.estimation import SampleReplay
    from concord.report.contents import GroupAlphas, MetricsOnPairs

Found = TypeVar("Found")
MAX_CANDIDATES = 20_000


def why_refused(judgment_set: JudgmentSet) -> str:
    """Why there is no report of the set for its viewer; "" where there is one."""
    if judgment_set.n_candidates > MAX_CANDIDATES:
        return f"The set has more than {MAX_CANDIDATES:,} candidates: use `concord report`."
    if releasing.is_withheld(judgment_set):
        return releasing.WITHHELD
    if not judgment_set.statistics["judged"]:
        return "The set has no scores of candidates."
    return ""


def report_html(judgment_set: JudgmentSet) -> str:
    """The report as HTML, without the sections whose analyses are not computed yet.

    Raises RefusedError.
    """
    from concord.frames import FrameError, complete_frame
    from concord.report.page import ReportContents, render_report

    if reason := why_refused(judgment_set):
        raise RefusedError(reason, "not-found")
    board = [row for row in leaderboard(judgment_set).rows if row["status"] == "complete"]
    try:
        frame = complete_frame(_frame(judgment_set))
        return render_report(
            ReportContents(
                frame=frame,
                title=judgment_set.label,
                files=[(f"{judgment_set} (content hash)", judgment_set.content_hash)],
                alphas=_result(kinds.raters.KIND, judgment_set, _alphas),
                compared=_result(kinds.agreement.KIND, judgment_set, _compared),
                pairs=_pairs(board),
                replayed=_result(kinds.replay.KIND, judgment_set, _replayed),
                scores=_scores(judgment_set, board),
            )
        )
    except (FormatError, FrameError, EstimationError) as error:
        raise RefusedError(str(error), "not-found") from error


def _frame(judgment_set: JudgmentSet) -> pd.DataFrame:
    """The judgment frame of the exported file."""
    from concord import read_judgments

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{judgment_set.name}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(exports.judgments(judgment_set))
        return read_judgments(path)


def _result(
    kind: AnalysisKind[P, R], judgment_set: JudgmentSet, read: Callable[[R], Found]
) -> Found | str:
    """What `read` makes of the stored result with the default parameters, or why there is none."""
    try:
        analysis = analyses.find_analysis(kind.name, judgment_set, {})
    except RefusedError as error:
        return str(error)
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return "it is not computed yet on the set's pages"
    return read(kind.result_of(analysis))


def _alphas(result: RatersAnalysis) -> GroupAlphas:
    from concord.report.contents import GroupAlphas

    return GroupAlphas(result["raters"])


def _compared(result: AgreementAnalysis) -> ComparedMetrics:
    """The comparison with the names that `_scores` gives to the metrics."""
    from concord.boards import ComparedMetrics

    metrics = [
        {**row, "metric": findings.metric_name(row), "multi_ref": "max", "signature": ""}
        for row in result["metrics"]
    ]
    return ComparedMetrics({**result, "metrics": metrics})


def _replayed(result: kinds.replay.ReplayAnalysis) -> SampleReplay:
    from concord.estimation import SampleReplay

    return SampleReplay(
        metrics=[findings.metric_name(result.metric)],
        method="auto",
        draws=kinds.replay.ReplayParameters.draws,
        seed=kinds.replay.ReplayParameters.seed,
        passages=result.passages,
        systems=result.systems,
        rows=result.rows,
    )


def _pairs(board: Sequence[BoardRow]) -> MetricsOnPairs | str:
    from concord.report.contents import MetricsOnPairs

    rows = {findings.metric_name(row): row["pairs"] for row in board if row["pairs"]["n"]}
    return MetricsOnPairs(rows) if rows else "the set has no minimal pairs that a metric scored"


def _scores(judgment_set: JudgmentSet, board: Sequence[BoardRow]) -> pd.DataFrame | None:
    """The scores of the candidates by every metric, as `concord.score` returns them."""
    import pandas as pd

    if not board:
        return None
    runs = work.load_runs(judgment_set, [row["run"] for row in board])
    names = [findings.metric_name(row) for row in board]
    scores = pd.DataFrame(
        {
            name: run.score_array[: judgment_set.n_candidates]
            for name, run in zip(names, runs, strict=True)
        }
    )
    keys = ScoringRow.__annotations__
    scores.attrs["metrics"] = {
        name: {key: value for key, value in row.items() if key in keys}
        for name, row in zip(names, board, strict=True)
    }
    return scores
