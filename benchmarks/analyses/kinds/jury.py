"""The analysis "jury": what do a set's judges gain as one over the best of them?"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import AnalysisPage, Context, Opened
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.inference import Estimate
from concord.judges import judge_labels, jury_report
from concord.judges.jury import FrontierJury, Juror, Jury, JuryReport
from concord.meta.inference import Progress
from concord.plots import IntervalMark, IntervalScale
from concord.sentences import counted
from core.refusals import RefusedError


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: BootstrapParameters
) -> Generator[Progress, None, JuryReport]:
    """The jury of all judges with stored answers about the candidates.

    A judge whose answers are not on people's scale has grades by a line that is fitted on other
    passages. Costs are those of the answers, where all judges have one, else 1 for each.
    """
    if judgment_set.has_unequal_sampling:
        raise RefusedError(samples.NO_WEIGHTS, "analysis-refused")
    yield Progress(0, 1)
    frame = frames.frame(judgment_set)
    rows = np.flatnonzero(frame.judged)
    gold, clusters = frame.gold[rows], frame.clusters[rows]

    def grades(run: MetricRun) -> NDArray[np.float64]:
        scores = samples.oriented_scores(run)[rows]
        return judge_labels(scores, gold, clusters, samples.people_scale(judgment_set)).values

    judges = judge_runs(runs)
    costs = {run.metric: run.submission.answer_cost for run in judges if run.submission}
    known = {name: cost for name, cost in costs.items() if cost is not None}
    return jury_report(
        {run.metric: grades(run) for run in judges},
        gold,
        clusters,
        graded=True,
        costs=known if len(known) == len(judges) else None,
        seed=parameters.seed,
        draws=parameters.draws,
    )


def judge_runs(runs: Sequence[MetricRun]) -> list[MetricRun]:
    """The runs that are a judge's stored answers about the candidates."""
    kind, judged = Submission.Kind.JUDGMENTS, Submission.Judged.CANDIDATES
    return [
        run
        for run in runs
        if run.submission and run.submission.kind == kind and run.submission.judged == judged
    ]


def cost(judgment_set: JudgmentSet, metrics: int, parameters: BootstrapParameters) -> float:
    """Estimated seconds on one core (1,000 draws of 6,400 candidates and 6 judges: 2 s)."""
    return 0.1 + 4e-8 * judgment_set.n_candidates * (metrics + 4) * (parameters.draws + 200)


@dataclass(frozen=True)
class JuryLine:
    """A row of the page's table: a judge, the best one, or a jury, with the mark of its agreement;
    None without a figure. weights: the lowest and the highest of a judge."""

    name: str
    agreement: Estimate
    mark: IntervalMark | None
    judge: Juror | None = None
    jury: Jury | None = None

    @property
    def per_thousand(self) -> float | None:
        """The cost of its answers about a thousand items."""
        return None if self.judge is None else 1000 * self.judge.cost

    @property
    def weights(self) -> list[float] | None:
        return None if self.judge is None else sorted(self.judge.weights)


@dataclass(frozen=True)
class FrontierLine:
    """A jury for a budget, with the mark of its agreement on the test half."""

    row: FrontierJury
    mark: IntervalMark | None

    @property
    def per_thousand(self) -> float:
        return 1000 * self.row.cost


def beside(opened: Opened) -> Context:
    """Why there is no jury, where the set has fewer than two judges."""
    judges = len(judge_runs(opened.runs))
    if judges >= 2:
        return {}
    there_is = counted(judges, "judge has", "judges have") if judges else "none has"
    return {"refused": f"a jury needs two judges with stored answers; {there_is} them here"}


def arrange(opened: Opened, result: JuryReport) -> Context:
    """The judges and juries on one scale, and which juries are better than the best judge."""
    figures = [row.agreement for row in result.judges]
    figures += [row.agreement for row in result.juries]
    figures += [result.single, *(row.test for row in result.frontier)]
    scale = IntervalScale.from_intervals(
        (one.ci or [one.value] for one in figures if one.value is not None), zero=False
    )

    def mark(figure: Estimate) -> IntervalMark | None:
        value = figure.value
        return None if value is None else scale.mark(value, figure.ci)

    def line(
        name: str, figure: Estimate, judge: Juror | None = None, jury: Jury | None = None
    ) -> JuryLine:
        return JuryLine(name, figure, mark(figure), judge, jury)

    judges = sorted(result.judges, key=lambda row: -(row.agreement.value or -1.0))
    return {
        "scale": scale,
        "judges": [line(row.name, row.agreement, judge=row) for row in judges],
        "single": line("best single judge", result.single),
        "juries": [line(row.rule, row.agreement, jury=row) for row in result.juries],
        "better": [row.rule for row in result.juries if _ends(row.gain)[0] > 0],
        "worse": [row.rule for row in result.juries if _ends(row.gain)[1] < 0],
        "frontier": [FrontierLine(row, mark(row.test)) for row in result.frontier],
    }


def _ends(figure: Estimate) -> tuple[float, float]:
    return figure.ci or (0.0, 0.0)


KIND = AnalysisKind(
    name="jury",
    parameters=BootstrapParameters,
    compute=compute,
    document=JuryReport,
    cost=cost,
    min_runs=2,
    revision=3,
    page=AnalysisPage(
        name="jury",
        section_of="judges",
        beside=beside,
        arrange=arrange,
    ),
)
