"""The analysis "judges": may a metric stand in for one of the raters?"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.parameters import any_name, draws_field, seed_field
from benchmarks.analyses.rater_agreement import set_ratings
from benchmarks.analyses.run_names import RunName
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.bounds import choice
from concord.documents.findings import FindingRow
from concord.findings import judges_finding
from concord.inference import Estimate
from concord.judges import (
    EPSILONS,
    AltTestOptions,
    HumanLabels,
    JudgeLabels,
    JudgeReport,
    baseline_judges,
    grades_from_scores,
    judge_labels,
    report_judge,
)
from concord.judges.report import JudgeFigures
from concord.meta.inference import Progress

MEAN, LENGTH = "mean of people", "length of the answer"
# Of the test of a judge, here and for sentinels.
REVISION = 4


@dataclass(frozen=True, kw_only=True)
class JudgesParameters:
    """raters: their group. epsilon: what a metric's lower cost is worth, as text."""

    raters: str = field(default="", metadata=any_name())
    epsilon: str = field(default="0.1", metadata=choice(f"{one:g}" for one in EPSILONS.values()))
    draws: int = draws_field(500)
    seed: int = seed_field()


@dataclass(frozen=True, kw_only=True)
class MetricAsJudge(RunName, JudgeFigures):
    """A metric run in the place of a rater."""


@dataclass(frozen=True, kw_only=True)
class NamedJudge(JudgeFigures):
    """A judge that does not look at the item, or a sentinel."""

    name: str


@dataclass(frozen=True)
class JudgesAnalysis:
    """Metrics in the place of raters. people_kappa: mean over pairs of raters."""

    raters: int
    items: int
    passages: int
    people_kappa: Estimate
    metrics: list[MetricAsJudge]
    baselines: list[NamedJudge]

    @property
    def finding(self) -> FindingRow:
        """Which metrics may stand in for a rater."""
        reasons = [row.by_document.reason or "" for row in self.metrics]
        return judges_finding(
            [one.metric for one in self.metrics if one.by_document.passed and one.beats_baselines],
            reasons[0] if reasons and all(reasons) else "",
            [row.name for row in self.baselines if row.by_document.passed],
        )


def compute(
    judgment_set: JudgmentSet, runs: Sequence[MetricRun], parameters: JudgesParameters
) -> Generator[Progress, None, JudgesAnalysis]:
    """The alternative annotator test of every metric, beside judges that do not read the answer."""
    people, options = people_of(judgment_set, parameters), judging_options(parameters)
    positions = positions_of(judgment_set, people.items)
    judges = blind_judges(judgment_set, people, positions, options)
    steps = len(judges) + len(runs)
    baselines: dict[str, JudgeReport] = {}
    for name, (labels, scores) in judges.items():
        baselines[name] = report_judge(people, labels, options, scores)
        yield Progress(len(baselines), steps)
    reports: list[JudgeReport] = []
    for run in runs:
        scores = oriented_at(run, positions)
        values = labels_of(judgment_set, people, scores).values
        reports.append(report_judge(people, values, options, scores))
        yield Progress(len(baselines) + len(reports), steps)
    least = max((each.test.advantage.value or 0.0 for each in baselines.values()), default=0.0)
    return JudgesAnalysis(
        raters=len(people.raters),
        items=len(people.items),
        passages=len(np.unique(people.clusters)),
        people_kappa=next(iter(baselines.values())).agreement.people_kappa,
        metrics=[
            MetricAsJudge.of(run, **vars(report.figures(least)))
            for run, report in zip(runs, reports, strict=True)
        ],
        baselines=named_judges(baselines, least),
    )


def named_judges(reports: Mapping[str, JudgeReport], least: float) -> list[NamedJudge]:
    """The figures of judges by name. least: as of `JudgeReport.figures`."""
    return [
        NamedJudge(name=name, **vars(report.figures(least))) for name, report in reports.items()
    ]


def people_of(judgment_set: JudgmentSet, parameters: JudgesParameters) -> HumanLabels:
    """The single ratings of the group of raters. Raises RefusedError or RatingsError for
    too few."""
    return HumanLabels.from_ratings(set_ratings(judgment_set, parameters.raters or None))


def judging_options(parameters: JudgesParameters) -> AltTestOptions:
    """The test of an analysis, also with dependent candidates."""
    return AltTestOptions(
        epsilon=float(parameters.epsilon),
        draws=parameters.draws,
        seed=parameters.seed,
        by_cluster=True,
    )


def blind_judges(
    judgment_set: JudgmentSet,
    people: HumanLabels,
    positions: NDArray[np.int64],
    options: AltTestOptions,
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """(labels, scores), both (items,), of judges that do not read the candidate, by name."""
    gold, scale = people.verdicts, samples.people_scale(judgment_set)
    words = candidate_lengths(judgment_set)[positions]
    fitted = {
        name: (grades_from_scores(scores, gold, people.clusters, scale), scores)
        for name, scores in ((MEAN, np.zeros(len(gold))), (LENGTH, words))
    }
    own = baseline_judges(people, np.random.default_rng(options.seed))
    return fitted | {name: (labels, labels) for name, labels in own.items()}


def labels_of(
    judgment_set: JudgmentSet, people: HumanLabels, scores: NDArray[np.float64]
) -> JudgeLabels:
    """The labels (items,) of a metric with these scores, in every table and test of a set."""
    scale = samples.people_scale(judgment_set)
    return judge_labels(scores, people.verdicts, people.clusters, scale)


def positions_of(judgment_set: JudgmentSet, keys: Sequence[str]) -> NDArray[np.int64]:
    """The position in the set of each rated candidate."""
    rows = judgment_set.candidates.order_by("position").values_list("key", "position")
    by_key = dict(rows.iterator(chunk_size=10_000))
    return np.array([by_key[key] for key in keys], dtype=np.int64)


def candidate_lengths(judgment_set: JudgmentSet) -> NDArray[np.float64]:
    """The number of words of each candidate, by position."""
    texts = judgment_set.candidates.order_by("position").values_list("text", flat=True)
    return np.array([len(text.split()) for text in texts.iterator(chunk_size=10_000)], dtype=float)


def oriented_at(run: MetricRun, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """The run's scores of these candidates, higher being better, NaN where there is none."""
    scores = samples.oriented_scores(run)[positions]
    return np.where(np.isfinite(scores), scores, np.nan)


def cost(judgment_set: JudgmentSet, metrics: int, parameters: JudgesParameters) -> float:
    """Estimated seconds on one core."""
    del parameters
    return 0.2 + 2e-5 * judgment_set.n_candidates * (metrics + 10)
