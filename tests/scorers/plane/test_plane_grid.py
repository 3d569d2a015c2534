"""The grid: its cells compared with the metric and scipy, best cell, uncertainty."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from concord.inference import Estimate, resample_counts, resampled_estimate
from concord.meta.inference.draws import blocks
from scorers import Session, parse_metrics
from scorers.aev.counts import NgramCounts, item_counts
from scorers.aev.family import Formula, aev, precision_and_recall
from scorers.aev.preparation import TextPreparation
from scorers.plane.grid import (
    ALPHAS,
    ORDERS,
    Grid,
    Level,
    PlanePoint,
    best_cells,
    bootstrap_grid,
    compute_grid,
    member_scores,
    pearson,
)
from scorers.plane.position import look_up_position
from scorers.plane.statistics import PlaneError, PlaneSample
from tests.scorers.plane.plane_sets import MadeUp


@pytest.mark.parametrize(("alpha", "n"), [(0, 1), (0.3, 2), (0.5, 3), (1, 4)])
def test_a_systems_score_is_the_metrics_corpus_value_over_its_candidates(
    session: Session, answers: MadeUp, sample: PlaneSample, alpha: float, n: int
) -> None:
    observed = compute_grid(sample)
    (metric,) = parse_metrics(f"aev(alpha={alpha},n={n})")
    for k, name in enumerate(observed.system_names):
        own = [item for item, of in zip(answers.items, answers.systems, strict=True) if of == name]
        assert observed.scores[(k, *PlanePoint(alpha, n).grid_index)] == session.corpus_score(
            metric, own
        )


def test_item_level_is_the_mean_of_the_metrics_own_scores(
    session: Session, answers: MadeUp, sample: PlaneSample
) -> None:
    observed = compute_grid(sample, level="item")
    scores = session.score(parse_metrics("aev(alpha=0.3,n=2)", "joint")[0], answers.items)
    for k, name in enumerate(observed.system_names):
        own = scores[np.array(answers.systems) == name]
        score = observed.scores[(k, *PlanePoint(0.3, 2).grid_index)]
        assert score == pytest.approx(own.mean(), abs=1e-12)


def test_a_cell_is_scipys_correlation_squared(sample: PlaneSample) -> None:
    observed = compute_grid(sample)
    assert observed.gold.tolist() == [
        pytest.approx(sample.gold[sample.systems == k].mean()) for k in range(7)
    ]
    for i, k in np.ndindex(len(ALPHAS), len(ORDERS)):
        expected = stats.pearsonr(observed.scores[:, i, k], observed.gold).statistic
        assert observed.r[i, k] == pytest.approx(expected, abs=1e-12)
        assert observed.r_squared[i, k] == pytest.approx(expected**2, abs=1e-12)


def test_the_best_cell_is_recall_of_words_where_gold_is_recall_of_words(
    sample: PlaneSample,
) -> None:
    observed = compute_grid(sample)
    assert observed.best == PlanePoint(0.0, 1)
    assert observed.r_squared[observed.best.grid_index] > 0.95
    assert observed.best in look_up_position("coverage", "summarization").region
    assert observed.best.metric == "aev(alpha=0,n=1)"
    assert PlanePoint(0.3, 2).metric == "aev(alpha=0.3,n=2)"


def test_all_44_cells_read_the_counts_once(
    sample: PlaneSample, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[Any] = []

    def counting(counts: NgramCounts, orders: Any, form: Formula) -> Any:
        calls.append(orders)
        return precision_and_recall(counts, orders, form)

    monkeypatch.setattr("scorers.plane.grid.precision_and_recall", counting)
    compute_grid(sample)
    assert calls == [ORDERS]


def test_a_cell_with_a_negative_correlation_is_never_best(sample: PlaneSample) -> None:
    turned = compute_grid(replace(sample, gold=-sample.gold))
    assert turned.is_negative[PlanePoint(0.0, 1).grid_index]
    assert turned.r_squared[PlanePoint(0.0, 1).grid_index] > 0.95
    assert turned.best is None or turned.r[turned.best.grid_index] > 0
    assert best_cells(np.full((11, 4), -0.5)).sum() == 0


def of(r: np.ndarray, gold: np.ndarray) -> Grid:
    return Grid(tuple("abcde"), np.ones(5, int), gold, np.zeros((5, 11, 4)), r, "set", Formula())


def test_of_equal_cells_the_shortest_and_then_the_most_recall_is_best() -> None:
    r = np.full((11, 4), 0.2)
    r[3:6, 1:] = 0.7
    assert of(r, np.arange(5.0)).best == PlanePoint(0.3, 2)


@pytest.mark.parametrize(
    ("r", "gold", "reason"),
    [
        (math.nan, [3.0] * 5, "all systems have the same mean rating"),
        (math.nan, range(5), "scores all systems the same"),
        (-0.4, range(5), "no metric of the family correlates positively with people's ratings"),
    ],
)
def test_a_grid_without_a_best_cell_states_the_reason(r: float, gold: Any, reason: str) -> None:
    grid = of(np.full((11, 4), r), np.array(list(gold), dtype=float))
    assert grid.best is None and reason in grid.reason


def test_equal_scores_or_equal_gold_have_no_correlation() -> None:
    scores = np.full((5, 11, 4), 0.1)
    assert np.isnan(pearson(scores, np.arange(5.0))).all()
    varied = np.arange(5.0)[:, None, None] + scores
    assert np.isnan(pearson(varied, np.full(5, 0.1))).all()
    assert pearson(varied, np.arange(5.0)) == pytest.approx(np.ones((11, 4)))


def test_weights_are_four_of_which_n_takes_the_first(sample: PlaneSample) -> None:
    form = Formula(weights=(4.0, 3.0, 2.0, 1.0))
    scores = member_scores(NgramCounts(sample.counts), form)
    own = aev(NgramCounts(sample.counts), 0.3, 2, Formula(weights=(4.0, 3.0)))
    assert scores[(slice(None), *PlanePoint(0.3, 2).grid_index)].tolist() == own.tolist()
    with pytest.raises(PlaneError, match="a grid needs 4 weights, not 2"):
        compute_grid(sample, Formula(weights=(1.0, 1.0)))
    with pytest.raises(PlaneError, match="N = 1: weights must be 0 or above"):
        compute_grid(sample, Formula(weights=(0.0, 1.0, 1.0, 1.0)))


def test_an_unknown_level_is_refused(sample: PlaneSample) -> None:
    wrong: Any = "passage"
    with pytest.raises(PlaneError, match="level must be one of set, item, not 'passage'"):
        compute_grid(sample, level=wrong)


# Uncertainty.


@pytest.mark.parametrize("level", ["set", "item"])
def test_a_draw_is_the_grid_of_its_passages(
    session: Session,
    answers: MadeUp,
    sample: PlaneSample,
    level: Level,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    observed = compute_grid(sample, level=level)
    drawn: list[float] = []

    def recorded(values: NDArray[np.float64], *args: Any, **options: Any) -> Estimate:
        drawn.extend(values.tolist())
        return resampled_estimate(values, *args, **options)

    monkeypatch.setattr("scorers.plane.grid.resampled_estimate", recorded)
    uncertainty = bootstrap_grid(sample, observed, rng=np.random.default_rng(1), draws=1)
    (block,) = blocks(np.random.default_rng(1), 1)
    taken = resample_counts(block.rng, 1, sample.cluster_count)[0]
    names = sorted(set(answers.passages))
    rows = [i for i, name in enumerate(answers.passages) for _ in range(taken[names.index(name)])]
    items = [answers.items[i] for i in rows]
    again = compute_grid(
        PlaneSample.of(
            item_counts(items, TextPreparation(), session),
            answers.gold[rows],
            systems=[answers.systems[i] for i in rows],
            clusters=[answers.passages[i] for i in rows],
        ),
        level=level,
    )
    assert again.best is not None
    assert uncertainty.best_share[again.best.grid_index] > 0
    # First the values of the cells in the one draw, then differences from the best cell's.
    np.testing.assert_allclose(drawn[: again.r_squared.size], again.r_squared.ravel())
    assert uncertainty.best_share.sum() == pytest.approx(1)


def test_the_result_depends_on_the_seed_only(sample: PlaneSample) -> None:
    observed = compute_grid(sample)
    first, second, other = (
        bootstrap_grid(sample, observed, rng=np.random.default_rng(seed), draws=200)
        for seed in (4, 4, 5)
    )
    assert first.best_share.tolist() == second.best_share.tolist()
    assert np.array_equal(first.low, second.low, equal_nan=True)
    assert not np.array_equal(first.low, other.low, equal_nan=True)


def test_the_best_cells_interval_and_its_rivals(sample: PlaneSample) -> None:
    observed = compute_grid(sample)
    assert observed.best is not None
    uncertainty = bootstrap_grid(sample, observed, rng=np.random.default_rng(2), draws=400)
    assert (uncertainty.draws, uncertainty.passages, uncertainty.without_best) == (400, 12, 0.0)
    assert uncertainty.best_share.sum() == pytest.approx(1)
    has_interval = np.isfinite(uncertainty.low)
    assert np.count_nonzero(has_interval) > 30
    assert (uncertainty.low <= observed.r_squared)[has_interval].all()
    assert (uncertainty.high >= observed.r_squared)[has_interval].all()
    # It orders the systems as people do in every draw.
    assert uncertainty.interval(observed.best) is None
    assert uncertainty.tied_with_best[observed.best.grid_index]
    assert not uncertainty.tied_with_best.all()
    assert (
        0
        < uncertainty.share_within(look_up_position("coverage", "summarization").region.cells)
        <= 1
    )


def test_draws_that_lose_a_system_have_no_grid(sample: PlaneSample) -> None:
    mask = (sample.systems > 0) | (sample.clusters == 0)
    few = PlaneSample.of(
        NgramCounts(sample.counts[mask]),
        sample.gold[mask],
        systems=[sample.system_names[k] for k in sample.systems[mask]],
        clusters=sample.clusters[mask],
    )
    uncertainty = bootstrap_grid(few, compute_grid(few), rng=np.random.default_rng(0), draws=300)
    # One passage of twelve is missed by (11/12)^12 = 35% of draws.
    assert 0.25 < uncertainty.without_best < 0.45
    assert uncertainty.interval(PlanePoint(0.0, 1)) is None


def test_one_passage_has_no_interval(sample: PlaneSample) -> None:
    one = replace(sample, clusters=np.zeros_like(sample.clusters))
    with pytest.raises(PlaneError, match="two passages"):
        bootstrap_grid(one, compute_grid(one), rng=np.random.default_rng(0))
