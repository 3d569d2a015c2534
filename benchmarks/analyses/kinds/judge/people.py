"""One metric beside people: agreement, the alternative annotator test, and blind judges."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.kinds.judges.computation import (
    JudgesParameters,
    NamedJudge,
    blind_judges,
    judging_options,
    labels_of,
    named_judges,
    oriented_at,
    people_of,
    positions_of,
)
from benchmarks.analyses.parameters import RunParameters
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.bounds import text
from concord.inference import Estimate
from concord.judges import (
    HumanLabels,
    JudgeLabels,
    JudgeUse,
    judge_labels,
    report_judge,
    use_for_items,
)
from concord.judges.agreement import kappa_intervals
from concord.judges.alternative_annotator import RaterTest
from concord.judges.alternative_annotator import compare_with_raters as compare
from concord.judges.confusion import MAX_POINTS, nearest_points
from concord.judges.report import JudgeFigures, baseline_warnings
from concord.meta.inference import (
    Coefficient,
    SampleError,
    ScoredSample,
    SingleRatings,
    agreement_with_others,
    bootstrap_steps,
    human_agreement,
    run_steps,
)
from concord.reliability import RatingsError, Weights
from core.refusals import RefusedError

COEFFICIENTS: tuple[tuple[str, Coefficient], ...] = (
    ("Pearson's r", "pearson"),
    ("Spearman's rho", "spearman"),
    ("Kendall's tau-b", "kendall_b"),
)
KAPPAS: tuple[tuple[str, Weights], ...] = (
    ("Cohen's kappa", "nominal"),
    ("Weighted kappa (quadratic)", "quadratic"),
)
NO_CEILING = Estimate(None, reason="has no ceiling of this kind")


@dataclass(frozen=True, kw_only=True)
class JudgeParameters(RunParameters, JudgesParameters):
    """The same of one metric run; family: systems of the judge's own family, comma-separated."""

    family: str = field(default="", metadata=text(10_000, multiline=True))


@dataclass(frozen=True, eq=False)
class JudgedSample:
    """The candidates that people judged and the metric scored, n of them.

    positions: in the set. scores: higher is better. gold: people's. clusters: passages. systems:
    names, "" for unknown. scale: of people's scores. unscored: judged candidates without a score.
    """

    positions: NDArray[np.int64]
    scores: NDArray[np.float64]
    gold: NDArray[np.float64]
    clusters: NDArray[np.int64]
    systems: NDArray[np.str_]
    scale: tuple[float, float]
    unscored: int

    @cached_property
    def labels(self) -> JudgeLabels:
        """The metric's labels beside people's scores."""
        return judge_labels(self.scores, self.gold, self.clusters, self.scale)


@dataclass(frozen=True, kw_only=True)
class JudgeCoefficient:
    """Agreement of the judge, of one rater, and of a perfect judge.

    judge: with people's gold scores, on `n` candidates. ceiling: a perfect judge's with the mean of
    these raters; without a value where it is not defined. same: the judge's on the candidates of
    `ceiling`, None where these are all or unknown. rater: one rater's with the mean of the others,
    on `rated` candidates, which the judge scored. others: the judge's with the same means of the
    others, on the same candidates; None where they are unknown, and for kappas, where the judge and
    each rater are compared with single raters.
    """

    name: str
    n: int
    judge: Estimate
    rated: int | None
    same: Estimate | None = None
    rater: Estimate
    others: Estimate | None = None
    ceiling: Estimate


@dataclass(frozen=True)
class RatersPart:
    """What needs single ratings. judge: the test of its labels, its own scores where they are on
    people's scale. off_scale: why they are fitted grades, else "". rater_tests: by passage, those
    with most items first, without names. verdict, z: as in Judge's Verdict. warnings: baselines
    that pass the test or beat the judge."""

    raters: int
    items: int
    passages: int
    judge: JudgeFigures
    off_scale: str
    baselines: list[NamedJudge]
    rater_tests: list[RaterTest]
    verdict: str | None
    z: Estimate
    warnings: list[str]


@dataclass(frozen=True, eq=False)
class ComparedWithRaters:
    """people: single ratings. positions: of their items in the set. judge: its labels, (items,).
    part: for the page. use: for single answers."""

    people: HumanLabels
    positions: NDArray[np.int64]
    judge: NDArray[np.float64]
    part: RatersPart
    use: JudgeUse

    @property
    def ratings_per_passage(self) -> float:
        passages = len(np.unique(self.people.clusters))
        return float(np.isfinite(self.people.values).sum() / passages)


@dataclass(frozen=True, eq=False)
class RaterTests:
    """The comparison with single raters; None with a `reason` where it cannot be made."""

    compared: ComparedWithRaters | None = None
    reason: str = ""


def compare_with_raters(
    judgment_set: JudgmentSet, run: MetricRun, parameters: JudgeParameters
) -> RaterTests:
    """The tests against single ratings, or the reason why there are none."""
    try:
        people = people_of(judgment_set, parameters)
    except (RefusedError, RatingsError) as error:
        return RaterTests(reason=str(error))
    positions = positions_of(judgment_set, people.items)
    scores = oriented_at(run, positions)
    if not np.isfinite(scores).any():
        reason = f"{run.metric} has no score for a candidate with single ratings"
        return RaterTests(reason=reason)
    options = judging_options(parameters)
    labels = labels_of(judgment_set, people, scores)
    report = report_judge(people, labels.values, options, scores)
    baselines = {
        name: report_judge(people, values, options, own)
        for name, (values, own) in blind_judges(judgment_set, people, positions, options).items()
    }
    rhos = {name: each.test.advantage.value or 0.0 for name, each in baselines.items()}
    best = max(rhos, key=lambda name: rhos[name])
    use = use_for_items(
        report.by_cluster or report.test,
        compare(people, labels.values),
        baseline=(best, rhos[best]),
        epsilon=options.epsilon,
        q=options.q,
    )
    tests = (report.by_cluster or report.test).raters.values()
    part = RatersPart(
        raters=len(people.raters),
        items=len(people.items),
        passages=len(np.unique(people.clusters)),
        judge=report.figures(rhos[best]),
        off_scale=labels.off_scale,
        baselines=named_judges(baselines, rhos[best]),
        rater_tests=sorted(tests, key=lambda rater: -rater.items),
        verdict=report.agreement.verdict,
        z=report.agreement.z,
        warnings=baseline_warnings({run.metric: report}, baselines),
    )
    return RaterTests(ComparedWithRaters(people, positions, labels.values, part, use))


def agreement(
    judgment_set: JudgmentSet,
    sample: JudgedSample,
    raters: RaterTests,
    parameters: JudgeParameters,
    rng: np.random.Generator,
) -> list[JudgeCoefficient]:
    """The judge's agreement with the gold score, its and one rater's with the same other raters,
    and the human ceiling."""
    arrays = ScoredSample.from_scores(
        {"judge": sample.scores},
        sample.gold,
        items=samples.instances(judgment_set)[sample.positions],
        clusters=sample.clusters,
    )
    ratings = _ratings(judgment_set, sample, raters, parameters)
    rows: list[JudgeCoefficient] = []
    for name, coefficient in COEFFICIENTS:
        judge = _judge(arrays, coefficient, parameters, rng)
        if isinstance(ratings, Estimate):
            rows.append(
                JudgeCoefficient(
                    name=name, n=arrays.n, judge=judge, rated=None, rater=ratings, ceiling=ratings
                )
            )
            continue
        people = human_agreement(ratings, coefficient, rng=rng)
        rated = np.isin(sample.positions, ratings.positions)
        (others,) = agreement_with_others(arrays.select_candidates(rated), people)
        held_out = np.isin(sample.positions, ratings.positions[people.held_out_of])
        same = None
        if not held_out.all():
            same = _judge(arrays.select_candidates(held_out), coefficient, parameters, rng)
        rows.append(
            JudgeCoefficient(
                name=name,
                n=arrays.n,
                judge=judge,
                rated=int(held_out.sum()),
                same=same,
                rater=people.held_out,
                others=others,
                ceiling=_ceiling(people.reliability),
            )
        )
    compared = raters.compared
    if compared is None:
        return rows
    return rows + [_kappa_row(name, weights, compared, parameters, rng) for name, weights in KAPPAS]


def _ratings(
    judgment_set: JudgmentSet,
    sample: JudgedSample,
    raters: RaterTests,
    parameters: JudgeParameters,
) -> SingleRatings | Estimate:
    """People's ratings of the candidates that the judge scored, or the reason for none."""
    if raters.compared is None:
        return Estimate(None, reason=raters.reason)
    group = parameters.raters or next(iter(samples.rater_groups(judgment_set)), "")
    scored = np.zeros(judgment_set.n_candidates, dtype=np.bool_)
    scored[sample.positions] = True
    try:
        return samples.ratings(judgment_set, group, scored)
    except SampleError as error:
        return Estimate(None, reason=str(error))


def _judge(
    arrays: ScoredSample,
    coefficient: Coefficient,
    parameters: JudgeParameters,
    rng: np.random.Generator,
) -> Estimate:
    try:
        steps = bootstrap_steps(arrays, coefficient, rng=rng, draws=parameters.draws)
        figure = run_steps(steps).figure(0)
    except SampleError as error:
        return Estimate(None, reason=str(error))
    reason = arrays.undefined_reason(0)
    return Estimate(None, reason=reason) if figure.value is None and reason else figure


def _ceiling(reliability: Estimate) -> Estimate:
    """The agreement of a perfect judge with a mean of this reliability: its root."""
    if reliability.value is not None and reliability.value < 0:
        return Estimate(None, reason="raters agree less than by chance")
    return reliability.transformed(lambda value: math.sqrt(max(0.0, value)))


def _kappa_row(
    name: str,
    weights: Weights,
    raters: ComparedWithRaters,
    parameters: JudgeParameters,
    rng: np.random.Generator,
) -> JudgeCoefficient:
    """Means over raters, and over pairs of raters; the judge's labels are moved to the nearest of
    the raters'."""
    people, judge = raters.people, raters.judge
    n = len(people.items)
    points = np.unique(people.values[~np.isnan(people.values)])
    if len(points) > MAX_POINTS and weights == "nominal":
        reason = Estimate(None, reason=f"people used {len(points)} different labels")
        return JudgeCoefficient(
            name=name, n=n, judge=reason, rated=n, rater=reason, ceiling=NO_CEILING
        )
    finite = np.isfinite(judge)
    judge = judge.copy()
    judge[finite] = points[nearest_points(judge[finite], points)]
    kappa, of_people = kappa_intervals(people, judge, weights, rng=rng, draws=parameters.draws)
    return JudgeCoefficient(
        name=name, n=n, judge=kappa, rated=n, rater=of_people, ceiling=NO_CEILING
    )
