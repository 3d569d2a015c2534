"""Every public statistic that returns an interval is found by introspection, and obeys the rules.

RESAMPLED and ROBUST are run on data of few and of many clusters, with shares at and near 0 and 1.
INDEPENDENT take items as independent. DERIVED get their intervals from one of the others. A new
function that returns a figure, an interval or a `ci` fails `test_no_statistic_is_forgotten` until
it has a row.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import concord
import scorers.plane
from concord import estimation, judges, reliability
from concord.formats.both_orders import BothOrders
from concord.formats.marks import RaterMarks
from concord.formats.preferences import Preference
from concord.formats.records import Span
from concord.inference import (
    MIN_CLUSTERS,
    Estimate,
    clustered_mean,
    clustered_share,
    estimates_of_sums,
    jackknifed_estimate,
    resampled_estimate,
    resampled_sums,
    sign_flips,
    sums_by_cluster,
)
from concord.inference.two_way import two_way_mean, two_way_share
from concord.judges.agreement import kappa_intervals
from concord.judges.labels import HumanLabels
from concord.meta import correctness, inference, kendall, pair_accuracy, pearson, spearman
from concord.meta.comparing import ComparisonOptions, compare_steps
from concord.meta.inference import run_steps
from concord.meta.inference.ratings import SingleRatings
from concord.meta.judged_pairs import JudgedPairs, choice_accuracy
from concord.meta.sentinels import differences_from_sentinels
from concord.preferences import rank_systems, side_bias
from concord.preferences.best_worst import BestWorst, system_scores
from concord.spans.report import rater_agreement

SKIPPED = (".cli", ".client", ".parquet_child", ".__main__", ".plots")
SHARE, CORRELATION, ANY = (0.0, 1.0), (-1.0, 1.0), (-math.inf, math.inf)
DRAWS = 200


class Data:
    """Candidates of three systems on some passages, with two raters and two metrics.

    right: the chance that an answer is correct; 1 makes all shares 1.
    """

    def __init__(self, passages: int, right: float = 0.6, seed: int = 0) -> None:
        self.passages = passages
        self.rng = np.random.default_rng([seed, passages])
        rng, systems = np.random.default_rng([seed, passages, 1]), 3
        n = passages * systems
        self.n = n
        self.clusters = np.repeat(np.arange(passages), systems)
        self.systems = np.tile(np.arange(systems), passages)
        quality = rng.normal(size=passages)[self.clusters] + rng.normal(size=n)
        self.ratings = np.clip(np.round(3 + quality[:, None] + rng.normal(size=(n, 3))), 1, 5)
        self.gold = self.ratings.mean(axis=1)
        self.correct = rng.random(n) < right
        self.scores = quality + rng.normal(size=n)
        self.others = quality + 2 * rng.normal(size=n)
        self.accepted = np.where(rng.random(n) < 0.9, self.correct, ~self.correct)

    @property
    def sample(self) -> inference.ScoredSample:
        return inference.ScoredSample.from_scores(
            {"one": self.scores, "two": self.others}, self.gold, items=self.clusters,
            systems=[f"s{k}" for k in self.systems], clusters=self.clusters,
        )  # fmt: skip

    def rated(self, values: np.ndarray) -> reliability.Ratings:
        units, raters = np.indices(values.shape).reshape(2, -1)
        return reliability.Ratings(units, raters, values.ravel(), self.clusters)

    @property
    def people(self) -> HumanLabels:
        return dataclasses.replace(
            HumanLabels.from_ratings(self.rated(self.ratings)), clusters=self.clusters
        )

    @property
    def bootstrap(self) -> inference.MetricFigures:
        return run_steps(
            inference.bootstrap_steps(self.sample, "pearson", rng=self.rng, draws=DRAWS)
        )

    @property
    def preferences(self) -> list[Preference]:
        rng = np.random.default_rng(self.passages)
        names = ("a", "b"), ("b", "c"), ("a", "c")
        return [
            Preference(f"q{q}", f"q{q}{one}{two}", one, two,
                       "first" if rng.random() < 0.6 else "second", "w", 1)
            for q in range(self.passages) for one, two in names
        ]  # fmt: skip

    @property
    def best_worst(self) -> list[BestWorst]:
        rng = np.random.default_rng(self.passages)
        orders = [tuple(rng.permutation(["a", "b", "c"]).tolist()) for _ in range(self.passages)]
        return [
            BestWorst(f"q{q}", f"s{q}", "w", tuple(f"{q}{name}" for name in order), order, None)
            for q, order in enumerate(orders)
        ]

    @property
    def division(self) -> correctness.Division:
        return correctness.Division(np.zeros(self.n, dtype=bool), np.ones(self.n, dtype=bool))


def point_wise(data: Data) -> Any:
    return correctness.point_wise(
        data.sample,
        data.correct,
        data.division,
        [Estimate(0.0), Estimate(-9.0)],
        rng=data.rng,
        draws=DRAWS,
    )


def optimised(data: Data) -> Any:
    tuning = data.clusters < data.passages // 2
    return correctness.optimisation_test(
        inference.ScoredSample.from_scores(
            {"m": data.scores}, data.correct.astype(float), items=data.clusters
        ),
        data.correct, np.stack([data.others]), correctness.Division(tuning, ~tuning),
        [Estimate(0.0)], rng=data.rng, draws=DRAWS,
    )  # fmt: skip


def compared(data: Data) -> Any:
    """The rows of a comparison as figures, and of one with weights."""
    options, weights = ComparisonOptions(draws=DRAWS), np.ones(data.n)
    rows = _rows(run_steps(compare_steps(data.sample, options)))
    if data.passages < MIN_CLUSTERS:
        with pytest.raises(inference.SampleError, match=f"{MIN_CLUSTERS} or more passages"):
            run_steps(compare_steps(data.sample, options, weights))
        return rows
    return rows + _rows(run_steps(compare_steps(data.sample, options, weights)))


def _rows(result: Any) -> list[Estimate]:
    return [
        Estimate(
            row["value"], *(row["ci"] or (None, None)), clusters=row["clusters"],
            draws=row.get("draws", 0), undefined=row.get("undefined", 0),
            reason=row.get("no_interval", ""),
        )
        for row in result["metrics"]
    ]  # fmt: skip


def paired(data: Data) -> Any:
    comparison = inference.compare_pairs(data.bootstrap)
    low, high, p = comparison.low[0, 1], comparison.high[0, 1], comparison.p[0, 1]
    assert np.isnan(low) == np.isnan(p)
    assert np.isnan(low) == (data.passages < MIN_CLUSTERS)
    return [] if np.isnan(low) else [Estimate(float(comparison.delta[0, 1]), low, high)]


def hits_by_cluster(data: Data) -> np.ndarray:
    """Sums of 1 and of correct answers, (2, passages)."""
    return sums_by_cluster(np.stack([np.ones(data.n), data.correct]), data.clusters)


def share_of(totals: np.ndarray) -> np.ndarray:
    return totals[1] / totals[0]


# By name: the figures' range and what computes them from data. Intervals are by resampling.
RESAMPLED: dict[str, tuple[tuple[float, float], Callable[[Data], Any]]] = {
    "concord.inference.resampling.resampled_estimate": (
        SHARE,
        lambda d: resampled_estimate(d.rng.random(DRAWS), 0.5, d.passages, "share"),
    ),
    "concord.inference.resampling.estimates_of_sums": (
        SHARE,
        lambda d: estimates_of_sums(
            share_of, hits_by_cluster(d)[:, None],
            resampled_sums(hits_by_cluster(d)[:, None], d.rng, DRAWS), "share",
        ),
    ),
    "concord.inference.resampling.jackknifed_estimate": (
        SHARE,
        lambda d: jackknifed_estimate(share_of, hits_by_cluster(d), "share"),
    ),
    "concord.reliability.krippendorff.alpha": (
        CORRELATION,
        lambda d: reliability.alpha(d.rated(d.ratings), draws=DRAWS),
    ),
    "concord.reliability.halo.halo": (
        (-2.0, 2.0),
        lambda d: reliability.halo(d.rated(d.ratings), d.rated(6 - d.ratings), draws=DRAWS),
    ),
    "concord.judges.agreement.kappa_intervals": (
        CORRELATION,
        lambda d: kappa_intervals(d.people, np.round(d.gold), rng=d.rng, draws=DRAWS),
    ),
    "concord.judges.alternative_annotator.alternative_annotator_test": (
        SHARE,
        lambda d: judges.alternative_annotator_test(
            d.people, d.scores, judges.AltTestOptions(min_items=3, draws=DRAWS)
        ),
    ),
    "concord.judges.probes.probe_stability": (
        CORRELATION,
        lambda d: judges.probe_stability(d.ratings, d.clusters),
    ),
    "concord.judges.probes.probe_verbosity": (
        ANY,
        lambda d: judges.probe_verbosity(d.scores, d.ratings, d.n + d.others, d.clusters),
    ),
    "concord.meta.inference.bootstrap.bootstrap_steps": (
        CORRELATION,
        lambda d: [d.bootstrap.figure(0), d.bootstrap.figure(1)],
    ),
    "concord.meta.inference.system_level.system_bootstrap_steps": (
        CORRELATION,
        lambda d: run_steps(
            inference.system_bootstrap_steps(
                d.sample, "pairwise_accuracy", "instances", rng=d.rng, draws=DRAWS
            )
        ).figure(0),
    ),
    "concord.meta.inference.figures.compare_pairs": ((-2.0, 2.0), paired),
    "concord.meta.inference.human_agreement.human_agreement": (
        CORRELATION,
        lambda d: inference.human_agreement(
            SingleRatings.from_arrays(
                np.repeat(np.arange(d.n), 3), d.ratings.ravel(), items=d.clusters,
                clusters=d.clusters,
            ),
            "pearson", rng=d.rng, draws=50,
        ),
    ),
    "concord.meta.comparing.compare_steps": (CORRELATION, compared),
    "concord.meta.sentinels.differences_from_sentinels": (
        (-2.0, 2.0),
        lambda d: differences_from_sentinels(d.bootstrap, ["two"]),
    ),
    "concord.meta.correctness.point_wise.point_wise": (SHARE, point_wise),
    "concord.meta.correctness.reranking.rerank": (
        ANY,
        lambda d: correctness.rerank(
            d.scores[None], d.gold, d.clusters, d.clusters, rng=d.rng, draws=DRAWS
        ),
    ),
    "concord.meta.correctness.optimisation.optimisation_test": (ANY, optimised),
}  # fmt: skip

# Cluster-robust intervals, with Student's t.
ROBUST: dict[str, tuple[tuple[float, float], Callable[[Data], Any]]] = {
    "concord.judges.orders.probe_orders": (
        CORRELATION,
        lambda d: judges.probe_orders(
            [BothOrders(1, 1 if one else None, 1 if two else 2)
             for one, two in zip(d.correct, d.accepted, strict=True)]
        ),
    ),
    "concord.judges.system_rates.system_rates": (
        SHARE,
        lambda d: judges.system_rates(
            d.accepted, np.where(d.clusters % 3 == 0, np.nan, d.correct), d.systems, d.clusters,
            ("a", "b", "c"),
        ),
    ),
    "concord.judges.probes.probe_change": (
        ANY,
        lambda d: judges.probe_change(
            d.scores, d.others, d.clusters, name="", meaning="", verdicts=("", "", "")
        ),
    ),
    "concord.judges.probes.probe_self_preference": (
        ANY,
        lambda d: judges.probe_self_preference(d.scores, d.ratings, d.systems == 0, d.clusters),
    ),
    "concord.meta.judged_pairs.choice_accuracy": (
        SHARE,
        lambda d: choice_accuracy(
            JudgedPairs(np.arange(d.n), np.roll(np.arange(d.n), 1), np.where(d.correct, 1.0, 0.0),
                        d.clusters),
            d.scores,
        ),
    ),
    "concord.meta.correlation.pearson": (
        CORRELATION, lambda d: pearson(d.scores, d.gold, d.clusters)
    ),
    "concord.meta.correlation.spearman": (
        CORRELATION, lambda d: spearman(d.scores, d.gold, d.clusters, 1 + d.systems.astype(float))
    ),
    "concord.meta.correlation.kendall": (
        CORRELATION, lambda d: kendall(d.scores, d.gold, d.clusters)
    ),
    "concord.meta.pairs.pair_accuracy": (
        SHARE, lambda d: pair_accuracy(d.correct.astype(float), np.full(d.n, 0.5), d.clusters)
    ),
    "concord.meta.correctness.curves.auc": (
        SHARE,
        lambda d: correctness.auc(d.scores, d.correct, d.clusters),
    ),
    "concord.inference.means.clustered_mean": (ANY, lambda d: clustered_mean(d.gold, d.clusters)),
    "concord.inference.means.clustered_share": (
        SHARE, lambda d: clustered_share(d.correct.astype(float), d.clusters)
    ),
    "concord.inference.means.sign_flips": (
        ANY, lambda d: sign_flips(d.scores - d.others, d.clusters)
    ),
    "concord.inference.two_way.two_way_mean": (
        ANY, lambda d: two_way_mean(d.gold, d.clusters, np.arange(d.n) % 4)
    ),
    "concord.inference.two_way.two_way_share": (
        SHARE,
        lambda d: two_way_share(d.correct.astype(float), d.clusters, np.arange(d.n) % 4, null=0.5),
    ),
    "concord.preferences.ranking.rank_systems": (SHARE, lambda d: rank_systems(d.preferences)),
    "concord.preferences.ranking.side_bias": (SHARE, lambda d: side_bias(d.preferences)),
    "concord.preferences.best_worst.system_scores": (
        CORRELATION, lambda d: system_scores(d.best_worst)
    ),
    "concord.estimation.estimates.estimate_systems": (
        SHARE,
        lambda d: estimation.estimate_systems(
            estimation.EstimationSample(
                np.where(d.clusters % 3 == 0, np.nan, d.correct), d.scores[:, None], d.systems,
                d.clusters, ("a", "b", "c"), ("m",),
            )
        ),
    ),
    "concord.reliability.leave_one_out.alpha_of_other_raters": (
        CORRELATION, lambda d: reliability.alpha_of_other_raters(d.rated(d.ratings))
    ),
    "concord.spans.report.rater_agreement": (
        CORRELATION,
        lambda d: rater_agreement(
            RaterMarks(f"r{rater}", "s", f"d{k}", "1",
                  (Span(0, 5 + (rater * k) % 7, "minor"),) if rater or k % 2 else ())
            for k in range(d.passages) for rater in range(6)
        ),
    ),
}  # fmt: skip

# Items are independent, as their documentation says: Fisher's z, Wilson's.
INDEPENDENT = {
    "concord.judges.corrected_rates.corrected_rate",
}

# By name, what computes its intervals; "" where it returns figures without one.
DERIVED = {
    "concord.boards.leaderboard": "concord.meta.correlation.pearson",
    "concord.estimation.differences.differences": "concord.estimation.estimates.estimate_systems",
    "concord.estimation.estimates.system_estimate":
        "concord.estimation.estimates.estimate_systems",
    "concord.estimation.report.estimate": "concord.estimation.estimates.estimate_systems",
    "concord.findings.agreement_findings": "",
    "concord.findings.choices_findings": "",
    "concord.findings.marks_findings": "",
    "concord.findings.judge_finding": "",
    "concord.findings.judges_finding": "",
    "concord.findings.metrics_finding": "",
    "concord.findings.missing_finding": "",
    "concord.findings.plan_finding": "",
    "concord.findings.group_alpha": "concord.reliability.krippendorff.alpha",
    # Of any command's figure; that of an agreement stands for them.
    "concord.gate.rules.reported": "concord.reliability.krippendorff.alpha",
    "concord.judges.agreement.judge_agreement": "concord.meta.correlation.pearson",
    "concord.judges.agreement.kappas_with_people": "",
    "concord.judges.alternative_annotator.apply_test": "",
    "concord.judges.alternative_annotator.with_interval":
        "concord.judges.alternative_annotator.alternative_annotator_test",
    "concord.judges.chat.probes.compare_probe": "concord.judges.probes.probe_change",
    "concord.judges.drift.drift_report": "concord.inference.means.clustered_mean",
    "concord.judges.jury.jury_report": "concord.inference.resampling.resampled_estimate",
    "concord.judges.report.person_agreement":
        "concord.meta.inference.human_agreement.human_agreement",
    "concord.judges.report.judge_report":
        "concord.judges.alternative_annotator.alternative_annotator_test",
    "concord.judges.report.figures_of": "",
    "concord.judges.report.report_judge":
        "concord.judges.alternative_annotator.alternative_annotator_test",
    "concord.judges.system_rates.clustered_corrected_rate":
        "concord.judges.corrected_rates.corrected_rate",
    "concord.judges.system_order.system_differences": "concord.inference.means.clustered_mean",
    "concord.judges.versions.compare_versions":
        "concord.meta.inference.bootstrap.bootstrap_steps",
    "concord.meta.correctness.calibration.calibration": "concord.inference.means.clustered_share",
    "concord.meta.correctness.point_wise.always_correct_baseline":
        "concord.meta.correctness.point_wise.point_wise",
    "concord.meta.correctness.system_wise.system_wise": "",
    "concord.meta.correctness.system_wise.system_errors": "",
    "concord.meta.inference.correlations.correlations": "",
    "concord.meta.inference.correlations.left_out_steps": "concord.meta.correlation.pearson",
    "concord.meta.inference.human_agreement.agreement_with_others":
        "concord.meta.inference.human_agreement.human_agreement",
    "concord.meta.inference.human_agreement.relative_agreement": "",
    "concord.meta.inference.minimal_pairs.rank_pairs": "concord.meta.pairs.pair_accuracy",
    "concord.meta.inference.soft_pairwise.soft_pairwise_steps": "",
    "concord.meta.inference.system_level.system_correlations": "",
    "concord.meta.inference.tie_calibration.tie_calibrated_accuracy": "",
    "concord.inference.means.t_estimate": "concord.inference.means.clustered_mean",
    "concord.inference.resampling.with_interval": "concord.meta.correlation.pearson",
    "concord.meta.judged_pairs.compare_choices": "concord.meta.judged_pairs.choice_accuracy",
    "concord.estimation.report.report_sample": "concord.estimation.estimates.estimate_systems",
    "concord.preferences.uncertainty.choice_estimates": "concord.preferences.ranking.rank_systems",
    "concord.preferences.best_worst.best_worst_report":
        "concord.preferences.best_worst.system_scores",
    "concord.report.contents.agree": "concord.reliability.krippendorff.alpha",
    "concord.report.contents.score_pairs": "concord.meta.pairs.pair_accuracy",
    "concord.sampling.estimates.estimate_design": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.replay.collect": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.replay.collect_studies": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.replay.replay_design_steps": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.report.estimate_sampled": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.report.report_design": "concord.estimation.estimates.estimate_systems",
    "concord.sampling.stopping.look": "concord.estimation.estimates.estimate_systems",
    "concord.raters.agreement": "concord.reliability.krippendorff.alpha",
    "concord.filtering.report.agreement_report": "concord.reliability.krippendorff.alpha",
    "concord.inference.resampling.jackknife_estimate": "concord.meta.correlation.pearson",
    "concord.meta.board.run_statistics": "concord.meta.correlation.pearson",
    "concord.documents.board.board_row": "",
    "concord.meta.correctness.point_wise.tune_thresholds": "",
    "concord.meta.inference.minimal_pairs.mcnemar": "",
    "concord.meta.inference.correlations.williams": "",
    "concord.meta.inference.swaps.perm_both_steps": "",
    "concord.meta.pairs.pairs_by_phenomenon": "concord.meta.pairs.pair_accuracy",
    "scorers.plane.grid.bootstrap_grid": "concord.inference.resampling.resampled_estimate",
    # `low` and `high` of these hold 95% of simulated studies, or are ends of a scale.
    # Ranges of shuffles, no confidence interval.
    "concord.filtering.null.null_alpha": "",
    "concord.filtering.report.alpha_row": "concord.reliability.krippendorff.alpha",
    "concord.filtering.report.filtered_agreement": "concord.reliability.krippendorff.alpha",
    "concord.filtering.replaying.replay": "",
    "concord.preferences.ranking.choices_agreement": "",
    "concord.reliability.gwet.gwet_ac2": "",
    "concord.reliability.icc.intraclass_correlation": "",
    "concord.reliability.pairwise.mean_weighted_kappa": "",
    "concord.reliability.pairwise.percent_agreement": "",
    "concord.inference.leave_one_out.left_out_estimate":
        "concord.reliability.leave_one_out.alpha_of_other_raters",
    "concord.meta.inference.learning_curve.learning_curve_steps": "",
    "concord.planning.pace.remaining_time": "",
    "concord.planning.means.needed_passages": "",
    "concord.spans.report.report_spans": "concord.inference.means.clustered_mean",
}  # fmt: skip


def test_no_statistic_is_forgotten() -> None:
    rows = {*RESAMPLED, *ROBUST, *INDEPENDENT, *DERIVED}
    found = set(statistics_with_intervals())
    assert found - rows == set(), "give these a row in the tables above"
    assert rows - found == set(), "these are gone, or return no interval"
    assert len(rows) == len(RESAMPLED) + len(ROBUST) + len(INDEPENDENT) + len(DERIVED)
    assert {source for source in DERIVED.values() if source} <= rows - set(DERIVED)


@pytest.mark.parametrize("name", RESAMPLED)
@pytest.mark.parametrize("passages", [1, 3, MIN_CLUSTERS - 1])
def test_a_bootstrap_of_few_clusters_has_no_interval_and_says_why(name: str, passages: int) -> None:
    try:
        result = RESAMPLED[name][1](Data(passages))
    except ValueError as error:
        # A refusal names the number that is needed, or what does not vary.
        assert "needs at least two passages" in str(error) or "0 passages" in str(error), error
        assert passages == 1
        return
    for interval in intervals_in(result):
        assert interval.ci is None
        if interval.clusters is not None and interval.clusters < MIN_CLUSTERS:
            assert f"{interval.clusters} " in interval.reason
            assert interval.reason.endswith(f"at least {MIN_CLUSTERS} are needed")
    for _, value, ends in values_in(result):
        assert value is None or ends is None or ROBUST_PARTS.get(name)


@pytest.mark.parametrize("name", RESAMPLED)
def test_a_bootstrap_of_enough_clusters_has_an_interval_and_its_numbers(name: str) -> None:
    result = RESAMPLED[name][1](Data(2 * MIN_CLUSTERS + 4))
    ends = [ends for _, value, ends in values_in(result) if value is not None and ends is not None]
    assert ends, result
    for interval in intervals_in(result):
        assert interval.clusters >= MIN_CLUSTERS and interval.draws > 0
        assert 0 <= interval.undefined <= interval.draws
        assert (interval.ci is None) == bool(interval.reason)


@pytest.mark.parametrize("name", [*RESAMPLED, *ROBUST])
@pytest.mark.parametrize("right", [0.0, 0.03, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("passages", [2, 11, 30])
def test_an_interval_holds_its_value_and_stays_in_range(
    name: str, right: float, passages: int
) -> None:
    (low, high), compute = (RESAMPLED | ROBUST)[name]
    try:
        result = compute(Data(passages, right))
    except ValueError:
        return  # there is nothing to estimate
    for owner, value, ends in values_in(result):
        if value is None:
            continue
        assert low <= value <= high or owner in UNBOUNDED, owner
        if ends is not None:
            assert ends[0] <= value <= ends[1], owner
            assert low <= ends[0] and ends[1] <= high, owner


@pytest.mark.parametrize("name", ROBUST)
def test_one_cluster_has_no_interval(name: str) -> None:
    data = Data(1)
    if name in ("concord.judges.orders.probe_orders", "concord.spans.report.rater_agreement"):
        return  # their units are pairs, and raters
    try:
        result = ROBUST[name][1](data)
    except ValueError:
        return
    assert [ends for _, _, ends in values_in(result) if ends is not None] == []


# Statistics of RESAMPLED of which some figures have another interval, of shares or areas.
ROBUST_PARTS = {"concord.meta.correctness.point_wise.point_wise": True}
UNBOUNDED = {"AltTest"}


def statistics_with_intervals() -> Iterator[str]:
    """Names of the public functions whose result has a figure or an interval."""
    for module in modules():
        for name, function in vars(module).items():
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            if function.__module__ == module.__name__ and has_interval(result_type(function)):
                yield f"{module.__name__}.{name}"


def modules() -> Iterator[Any]:
    for root in (concord, scorers.plane):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not any(part in found.name for part in SKIPPED):
                yield importlib.import_module(found.name)


def result_type(function: Any) -> Any:
    if "return" not in function.__annotations__:
        return None
    only = {"return": function.__annotations__["return"]}
    stub = type("Stub", (), {"__annotations__": only})
    names = {**vars(importlib.import_module(function.__module__)), "pd": pd}
    try:
        return typing.get_type_hints(stub, names)["return"]
    except TypeError:  # pandas' types without parameters
        return None


def has_interval(kind: Any, inside: tuple[Any, ...] = ()) -> bool:
    """Whether a type is, or holds, a figure, an interval, a p-value or a field for one."""
    if kind in (Estimate, inference.MetricFigures, inference.Comparison):
        return True
    if isinstance(kind, type) and kind not in inside:
        hints = {}
        if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields") or typing.is_typeddict(kind):
            hints = typing.get_type_hints(kind)
        if {"low", "high"} <= hints.keys():
            return True
        return any(
            name in ("ci", "p") or name.endswith("_ci") or has_interval(hint, (*inside, kind))
            for name, hint in hints.items()
        )
    return any(has_interval(part, inside) for part in typing.get_args(kind))


def intervals_in(result: Any) -> Iterator[Estimate]:
    """The intervals by resampling in a result."""
    for part in parts_of(result):
        if isinstance(part, Estimate) and part.draws:
            yield part


def values_in(result: Any) -> Iterator[tuple[str, float | None, tuple[float, float] | None]]:
    """(type, value, ends) of everything in a result that has a value with a `ci`."""
    names = ("value", "win_probability", "score", "mean", "rate", "advantage")
    for part in parts_of(result):
        ends = getattr(part, "ci", None)
        for name in names:
            if hasattr(part, name) and hasattr(part, "ci"):
                yield type(part).__name__, getattr(part, name), ends
                break


def parts_of(result: Any) -> Iterator[Any]:
    yield result
    if dataclasses.is_dataclass(result):
        for field in dataclasses.fields(result):
            yield from parts_of(getattr(result, field.name))
    elif isinstance(result, Mapping):
        for value in result.values():
            yield from parts_of(value)
    elif isinstance(result, list | tuple):
        for value in result:
            yield from parts_of(value)
