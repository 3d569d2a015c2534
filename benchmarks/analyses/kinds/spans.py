"""The analysis "spans": raters and systems, and which metric falls with the severity of errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.analyses.page import AnalysisPage, Context, FormField, Opened
from benchmarks.analyses.parameters import BootstrapParameters
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet, Marks
from benchmarks.sets.services import hidden
from concord.bounds import text
from concord.formats.records import SEVERITIES, Span
from concord.inference import Estimate
from concord.meta.inference import Progress, SampleError
from concord.spans import RaterMarks as MarksOfRater
from concord.spans import Weights, mqm_score, report_spans
from core.refusals import RefusedError

# The worst error of an answer: its column in a table.
NO_ERROR = "none"
WORST = (NO_ERROR, *SEVERITIES)
WEIGHTS_HELP = "What errors cost, such as minor=1,major=5; the others have their defaults."


@dataclass(frozen=True, kw_only=True)
class SpansParameters(BootstrapParameters):
    """weights: what errors cost, as `concord.spans.Weights.parse` reads it."""

    weights: str = field(default=Weights().text, metadata=text(500, help=WEIGHTS_HELP))


@dataclass(frozen=True, kw_only=True)
class SpanMetric(RunName):
    """A metric on error spans.

    pearson: of its scores with the MQM scores, higher being better for both; the interval resamples
    passages. means: the mean score of the answers whose worst error has each severity of
    `severities`, None without any.
    """

    pearson: Estimate
    means: list[float | None]


@dataclass(frozen=True)
class SpansAnalysis:
    """Error spans: metrics on them, systems and raters."""

    severities: Annotated[list[str], "Of the worst error of an answer; `none` first."]
    answers: Annotated[
        list[int],
        "How many answers have each severity; one with an undecided severity is in none.",
    ]
    metrics: Annotated[list[SpanMetric], "Correlation with the MQM score, and means by severity."]
    report: Annotated[dict[str, Any], "As `concord spans --format json`."]


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: SpansParameters
) -> Generator[Progress, None, SpansAnalysis]:
    """The report on the set's marks, and every metric on the answers with an MQM score."""
    yield Progress(0, 1)
    weights = Weights.parse(parameters.weights)
    marks = _read_marks(judgment_set)
    if not marks:
        raise RefusedError("nobody marked errors in this set", "analysis-refused")
    mqm, worst = _by_candidate(judgment_set.n_candidates, marks, weights)
    report = report_spans([one for group in marks.values() for one in group], (), weights)
    pearson = yield from _correlations(judgment_set, runs, mqm, parameters)
    rows = [
        SpanMetric.of(
            run,
            pearson=figure,
            means=_means(run.score_array[: judgment_set.n_candidates], worst),
        )
        for run, figure in zip(runs, pearson, strict=True)
    ]
    rows.sort(key=_order)
    return SpansAnalysis(
        severities=list(WORST),
        answers=[int((worst == severity).sum()) for severity in range(len(WORST))],
        metrics=rows,
        report=report.to_json(),
    )


def _read_marks(judgment_set: JudgmentSet) -> dict[int, list[MarksOfRater]]:
    """The marks by the position of their candidate."""
    rows = Marks.objects.filter(candidate__judgment_set=judgment_set)
    fields = ("group", "worker", "spans", "candidate__system", "candidate__key")
    marks: dict[int, list[MarksOfRater]] = defaultdict(list)
    for position, group, worker, spans, system, key, passage in rows.values_list(
        "candidate__position", *fields, "candidate__instance__passage_key"
    ):
        rater = f"{group}/{worker}" if group else worker
        own = tuple(map(Span.from_row, spans))
        marks[position].append(MarksOfRater(rater, system, passage, key, own))
    return marks


def _by_candidate(
    n: int, marks: dict[int, list[MarksOfRater]], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The MQM score of each candidate, the mean over its raters, NaN without one, (n,); and the
    severity of its worst error as an index of WORST, -1 where nobody marked it or a severity is
    undecided, (n,)."""
    mqm = np.full(n, np.nan)
    worst = np.full(n, -1, dtype=np.int64)
    for position, of_raters in marks.items():
        scores = [mqm_score(one.spans, weights) for one in of_raters]
        if None not in scores:
            mqm[position] = np.mean([score for score in scores if score is not None])
            spans = [span for one in of_raters for span in one.spans]
            worst[position] = max((WORST.index(span.severity or "") for span in spans), default=0)
    return mqm, worst


def _correlations(
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    mqm: NDArray[np.float64],
    parameters: SpansParameters,
) -> Generator[Progress, None, list[Estimate]]:
    """Pearson's correlation of each run with the MQM scores; undefined where there is no sample."""
    positions = np.flatnonzero(np.isfinite(mqm))
    try:
        _, figures = yield from samples.bootstrap_of_scores(
            judgment_set,
            positions,
            {str(run.pk): samples.oriented_scores(run)[positions] for run in runs},
            mqm[positions],
            "pearson",
            seed=parameters.seed,
            draws=parameters.draws,
        )
    except SampleError as error:
        return [Estimate(None, reason=str(error))] * len(runs)
    return [figures.figure(column) for column in range(len(runs))]


def _means(scores: NDArray[np.float64], worst: NDArray[np.int64]) -> list[float | None]:
    means: list[float | None] = []
    for severity in range(len(WORST)):
        values = scores[worst == severity]
        values = values[np.isfinite(values)]
        means.append(float(values.mean()) if len(values) else None)
    return means


def _order(row: SpanMetric) -> tuple[bool, float, str]:
    value = row.pearson.value
    return (value is None, -(value or 0.0), row.metric)


def _normalise(parameters: SpansParameters) -> SpansParameters:
    """The parameters with every weight. Raises ValueError for weights that cannot be read."""
    return replace(parameters, weights=Weights.parse(parameters.weights).text)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: SpansParameters) -> float:
    """Estimated seconds on one core, from two queries.

    The agreement compares the marks of all pairs of raters of an answer, and again without each
    rater's marks of each document (1.3 s measured for 100 answers by 15 raters each, 4.2 s for
    1,000 by 5).
    """
    n = judgment_set.n_candidates
    rows = Marks.objects.filter(candidate__judgment_set=judgment_set).order_by()
    agreement = 4e-4 * samples.count_rater_pairs(rows)
    return 0.05 + 5e-4 * n + 1e-8 * n * metrics * parameters.draws + agreement


def complete(opened: Opened) -> None:
    """Read the weights, and state all of them. Raises RefusedError."""
    try:
        opened.query["weights"] = Weights.parse(opened.query["weights"]).text
    except ValueError as error:
        raise RefusedError(f"weights: {error}", "query-invalid") from error


def beside(opened: Opened) -> Context:
    """The counts of marks; figures are shown where there are marks and no label is hidden."""
    judgment_set = opened.judgment_set
    counts = judgment_set.statistics.get("marks")
    labels_hidden = bool(hidden.viewer_masks(judgment_set))
    is_shown = bool(counts) and not labels_hidden
    return {"counts": counts, "labels_hidden": labels_hidden, "is_shown": is_shown}


def arrange(opened: Opened, result: SpansAnalysis) -> Context:
    """The systems by their MQM score, best first."""
    return {"systems": sorted(result.report["systems"].items(), key=_system_order)}


# system: a name, and a system of the JSON that `concord spans` writes.
def _system_order(system: tuple[str, dict[str, Any]]) -> tuple[bool, float, str]:
    name, row = system
    value = row["mqm"]["value"]
    return (value is None, -(value or 0.0), name)


def is_usual(opened: Opened) -> bool:
    """Visitors start it with the default weights only: there are many others."""
    return bool(opened.query["weights"] == SpansParameters.weights)


KIND = AnalysisKind(
    name="spans",
    parameters=SpansParameters,
    compute=compute,
    document=SpansAnalysis,
    cost=cost,
    reads=frozenset({"runs"}),
    min_runs=0,
    normalise=_normalise,
    revision=3,
    page=AnalysisPage(
        name="spans",
        section_of="errors",
        form=(FormField("weights", "Weights"),),
        complete=complete,
        beside=beside,
        arrange=arrange,
        is_usual=is_usual,
    ),
)
