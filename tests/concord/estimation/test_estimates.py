"""Estimates of systems' means: outside values, closed forms, and coverage by simulation."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from concord.estimation import EstimationError, EstimationSample, differences, estimate_systems
from concord.estimation.raters import ratings_behind
from concord.estimation.slopes import cross_fit
from concord.planning.means import interval_width
from concord.planning.variance import VarianceComponents
from concord.reliability import Ratings

PPI_PYTHON = json.loads(Path(__file__).with_name("ppi_python.json").read_text(encoding="utf-8"))


def sample_of(outcomes, scores, systems=None, passages=None):
    outcomes = np.asarray(outcomes, dtype=np.float64)
    scores = np.asarray(scores, dtype=np.float64).reshape(len(outcomes), -1)
    systems = np.zeros(len(outcomes), dtype=np.int64) if systems is None else systems
    passages = np.arange(len(outcomes)) if passages is None else passages
    return EstimationSample(
        outcomes,
        scores,
        systems,
        passages,
        tuple(f"system {k}" for k in range(int(systems.max()) + 1)),
        tuple(f"metric {k}" for k in range(scores.shape[1])),
    )


@pytest.mark.parametrize(
    "case", PPI_PYTHON, ids=lambda case: f"{len(case['scores'])},{case['lam']}"
)
def test_a_mean_of_new_passages_is_that_of_ppi_python(case):
    rated, size = len(case["outcomes"]), len(case["scores"])
    outcomes = [*case["outcomes"], *[np.nan] * (size - rated)]
    # ppi-python's lambda is the slope times the share of unrated candidates.
    slope = case["lam"] * size / (size - rated)
    (result,) = estimate_systems(
        sample_of(outcomes, case["scores"]),
        target="new",
        method="prediction-powered",
        slopes=np.full((size, 1), slope),
    )
    assert result.mean == pytest.approx(case["mean"], abs=1e-12)
    # It takes normal quantiles and variances with 1 / n.
    half = (case["ci"][1] - case["ci"][0]) / 2
    expected = half / stats.norm.ppf(0.975) * np.sqrt(rated / (rated - 1))
    assert result.se == pytest.approx(expected, rel=1e-12)


def population(rng, *, passages=400, systems=3, per_passage=1, rho=0.8, binary=False):
    """Outcomes and one metric of a whole set, (passages, systems, per_passage)."""
    shape = (passages, systems, per_passage)
    latent = rng.normal(0, 0.7, passages)[:, None, None] + rng.normal(0, 1, shape)
    latent += np.linspace(-0.5, 0.5, systems)[None, :, None]
    spread = 1.22 * np.sqrt(1 / rho**2 - 1) if rho else 1.0
    scores = (latent if rho else 0.0) + rng.normal(0, spread, shape)
    outcomes = (latent > -0.5) if binary else np.clip(np.round(3 + latent), 1, 5)
    return outcomes.astype(np.float64), scores


def observe(rng, outcomes, scores, rated):
    """A Sample in which `rated` random passages are rated."""
    shape = outcomes.shape
    shown = np.zeros(shape[0], dtype=bool)
    shown[rng.choice(shape[0], rated, replace=False)] = True
    systems = np.broadcast_to(np.arange(shape[1])[None, :, None], shape).ravel()
    passages = np.broadcast_to(np.arange(shape[0])[:, None, None], shape).ravel()
    seen = np.where(shown[:, None, None], outcomes, np.nan).ravel()
    return sample_of(seen, scores.ravel(), systems, passages)


def test_slopes_are_fitted_without_the_candidates_own_passage():
    rng = np.random.default_rng(1)
    outcomes, scores = population(rng, passages=30, per_passage=2)
    sample = observe(rng, outcomes, np.stack([scores, scores**2 + outcomes]).sum(axis=0), 12)
    slopes = cross_fit(sample).slopes
    for passage in (int(sample.passages[sample.is_rated][0]), 0):
        rows = sample.is_rated & (sample.passages != passage)
        x = (sample.scores - sample.scores.mean(axis=0)) / sample.scores.std(axis=0)
        x, y = x[rows, 0], sample.outcomes[rows]
        means = [
            np.bincount(sample.systems[rows], values)[sample.systems[rows]]
            / np.bincount(sample.systems[rows])[sample.systems[rows]]
            for values in (x, y)
        ]
        expected = ((x - means[0]) @ (y - means[1])) / (((x - means[0]) ** 2).sum() + 1)
        actual = slopes[sample.passages == passage, 0]
        np.testing.assert_allclose(actual, expected / sample.scores.std(axis=0)[0], rtol=1e-9)


def test_a_perfect_metric_leaves_almost_no_error():
    rng = np.random.default_rng(2)
    outcomes, _ = population(rng)
    for row, truth in zip(
        estimate_systems(observe(rng, outcomes, 10 * outcomes - 3, 60)),
        outcomes.mean(axis=(0, 2)),
        strict=True,
    ):
        assert row.method == "prediction-powered"
        assert row.mean == pytest.approx(truth, abs=0.02)
        assert row.effective_n > 350


@pytest.mark.parametrize(("scale", "shift"), [(-30.0, 7.0), (1e-7, 0.0), (1e6, -1e7)])
def test_an_affine_change_of_the_metric_changes_nothing(scale, shift):
    rng = np.random.default_rng(3)
    sample = observe(rng, *population(rng), 80)
    scores = scale * sample.scores + shift
    turned = sample_of(sample.outcomes, scores, sample.systems, sample.passages)
    for first, second in zip(estimate_systems(sample), estimate_systems(turned), strict=True):
        assert first.mean == pytest.approx(second.mean, abs=1e-7)
        assert first.se == pytest.approx(second.se, abs=1e-7)
        assert first.method == second.method


@pytest.mark.parametrize(("scale", "shift"), [(1e-7, 0.0), (1e6, 0.0), (2.0, 1e5)])
@pytest.mark.parametrize("method", ["auto", "mean", "stratified"])
def test_estimates_follow_an_increasing_change_of_the_ratings(method, scale, shift):
    rng = np.random.default_rng(15)
    sample, ratings = rated_by(rng, passages=60, raters=5, each=3, systems=2)
    outcomes = np.where(sample.passages % 2, sample.outcomes, np.nan)
    known = ratings.keep(sample.passages[ratings.units] % 2 == 1)
    scores = sample.outcomes + rng.normal(size=len(outcomes))
    results = []
    for factor, more in ((1.0, 0.0), (scale, shift)):
        changed = replace(known, values=factor * known.values + more)
        one = sample_of(factor * outcomes + more, scores, sample.systems, sample.passages)
        results.append(estimate_systems(one, method=method, ratings=changed))
    for first, second in zip(*results, strict=True):
        expected = [scale * end + shift for end in (first.mean, *first.ci)]
        assert [second.mean, *second.ci] == pytest.approx(expected, rel=1e-6)
        assert (first.method, first.over) == (second.method, second.over)
    (gap,), (changed,) = (differences(rows)[0] for rows in results)
    assert changed.p == pytest.approx(gap.p, rel=1e-5)


def test_a_metric_that_is_constant_but_for_rounding_does_not_help():
    rng = np.random.default_rng(16)
    sample = observe(rng, *population(rng), 80)
    for size in (1e-8, 1.0, 1e8):
        scores = np.full(len(sample.scores), size) * (
            1 + 1e-16 * rng.integers(-2, 3, len(sample.scores))
        )
        constant = sample_of(sample.outcomes, scores, sample.systems, sample.passages)
        assert {row.correlation for row in estimate_systems(constant)} == {None}


def test_a_metric_of_noise_is_mostly_not_used():
    rng = np.random.default_rng(4)
    rows = [
        row
        for _ in range(40)
        for row in estimate_systems(observe(rng, *population(rng, rho=0), 80))
    ]
    unused = [row for row in rows if row.method == "mean"]
    assert len(unused) > 0.75 * len(rows)
    assert all("does not help" in row.reason for row in unused)
    assert all(row.mean == row.plain_mean and row.ci == row.plain_ci for row in unused)
    assert all(row.effective_n == pytest.approx(row.rated) for row in unused)


def test_few_passages_give_the_plain_mean():
    rng = np.random.default_rng(5)
    rows = estimate_systems(observe(rng, *population(rng), 9))
    assert all(row.method == "mean" and "9 rated passages" in row.reason for row in rows)


def test_ratings_of_the_best_passages_only_are_noticed():
    rng = np.random.default_rng(6)
    outcomes, scores = population(rng)
    best = scores.mean(axis=(1, 2)).argsort()[-80:]
    seen = np.full(outcomes.shape, np.nan)
    seen[best] = outcomes[best]
    sample = observe(rng, seen, scores, len(seen))
    rows = estimate_systems(sample)
    assert all(row.method == "mean" and "no random sample" in row.reason for row in rows)


def test_a_set_that_is_all_rated_has_no_error():
    rng = np.random.default_rng(7)
    outcomes, scores = population(rng)
    for row, truth in zip(
        estimate_systems(observe(rng, outcomes, scores, 400)),
        outcomes.mean(axis=(0, 2)),
        strict=True,
    ):
        assert (row.method, row.se) == ("all rated", 0.0)
        assert row.mean == pytest.approx(truth, abs=1e-12)


def test_stratified_means_are_the_closed_form():
    rng = np.random.default_rng(8)
    n, size = 120, 400
    y = rng.normal(0, 1, n)
    scores = np.repeat(np.arange(4.0), size // 4)
    chosen = np.concatenate([k * 100 + rng.choice(100, n // 4, replace=False) for k in range(4)])
    y += scores[chosen]
    outcomes = np.full(size, np.nan)
    outcomes[chosen] = y
    (row,) = estimate_systems(
        sample_of(outcomes, scores), method="stratified", slopes=np.ones((size, 1))
    )
    strata = [y[scores[chosen] == k] for k in range(4)]
    assert row.mean == pytest.approx(np.mean([s.mean() for s in strata]), abs=1e-12)
    variance = sum(s.var() / len(s) / 16 for s in strata)
    assert row.se**2 == pytest.approx((1 - n / size) * variance * n / (n - 1), rel=1e-9)


def test_equal_ratings_give_a_mean_without_an_interval():
    (row,) = estimate_systems(sample_of([1.0] * 20 + [np.nan] * 80, np.arange(100)))
    assert (row.mean, row.ci) == (1.0, None)
    assert "all ratings are equal" in row.reason


def test_rare_values_give_a_mean_without_an_interval():
    (row,) = estimate_systems(sample_of([1.0] * 40 + [0.0] * 3 + [np.nan] * 60, np.arange(103)))
    assert row.ci is None
    assert "only 3 of 43" in row.reason


def test_a_system_without_ratings_says_so():
    systems = np.repeat([0, 1], 50)
    outcomes = np.full(100, np.nan)
    outcomes[:20] = np.arange(20) % 5
    first, second = estimate_systems(sample_of(outcomes, np.arange(100), systems))
    assert first.ci is not None
    assert (second.mean, second.ci) == (None, None)
    assert "no candidate" in second.reason
    assert differences([first, second])[0] == []


def test_faulty_samples_are_refused():
    with pytest.raises(EstimationError, match="no candidate is rated"):
        sample_of([np.nan] * 3, [1, 2, 3])
    with pytest.raises(EstimationError, match="'metric 0' has no score for 1 of 3"):
        sample_of([1, 2, np.nan], [1, np.nan, 3])


def coverage(rng, *, trials, rated, target="set", **options):
    """(coverage of means, coverage of differences), over `trials` samples of 500 passages."""
    means, gaps = [], []
    for _ in range(trials):
        outcomes, scores = population(rng, passages=500, **options)
        truth = outcomes.mean(axis=(0, 2))
        rows = estimate_systems(observe(rng, outcomes, scores, rated), target=target)
        for row, value in zip(rows, truth, strict=True):
            if row.ci is not None:
                means.append(row.ci[0] <= value <= row.ci[1])
        for gap in differences(rows)[0]:
            value = truth[int(gap.first[-1])] - truth[int(gap.second[-1])]
            gaps.append(gap.ci[0] <= value <= gap.ci[1])
    return np.mean(means), np.mean(gaps)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    ("rated", "per_passage", "rho"), [(20, 1, 0.9), (50, 3, 0.6), (200, 1, 0.3)]
)
def test_intervals_cover_the_sets_mean(rated, per_passage, rho, binary):
    rng = np.random.default_rng(9)
    options = {"per_passage": per_passage, "rho": rho, "binary": binary}
    of_means, of_gaps = coverage(rng, trials=150, rated=rated, **options)
    # Three systems of one sample are dependent, so the Monte Carlo error is that of 150 to 450.
    assert of_means >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 250)
    assert of_gaps >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / 250)
    assert of_means <= 0.95 + 3.5 * np.sqrt(0.95 * 0.05 / 250)


@pytest.mark.slow
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize(("rated", "per_passage"), [(20, 1), (50, 3), (200, 1), (400, 2)])
def test_the_whole_procedure_covers_in_two_thousand_simulations(rated, per_passage, rho, binary):
    rng = np.random.default_rng(10)
    options = {"per_passage": per_passage, "rho": rho, "binary": binary}
    of_means, of_gaps = coverage(rng, trials=2000, rated=rated, **options)
    # With twenty 0/1 ratings, means are too coarse to be held more exactly.
    assert 0.935 <= of_means <= (0.97 if binary and rated == 20 else 0.965)
    assert 0.935 <= of_gaps <= 0.965


def test_ignoring_passages_would_cover_too_little():
    """Ten dependent candidates a passage: intervals of independent candidates are far too short."""
    rng = np.random.default_rng(11)
    by_passage, by_candidate = [], []
    for _ in range(150):
        outcomes, scores = population(rng, passages=200, systems=1, per_passage=10, rho=0.5)
        sample = observe(rng, outcomes, scores, 20)
        alone = sample_of(sample.outcomes, sample.scores)
        for covered, each in ((by_passage, sample), (by_candidate, alone)):
            (row,) = estimate_systems(each)
            covered.append(row.ci[0] <= outcomes.mean() <= row.ci[1])
    assert np.mean(by_passage) >= 0.89
    assert np.mean(by_candidate) <= 0.85


PARTS = VarianceComponents(passage=0.3, answer=0.3, rater=0.15, rating=0.5)


def rated_by(rng, *, passages, raters, each, parts=PARTS, own=0.0, systems=1):
    """A sample whose passages are rated by `each` of the raters, and its ratings. own: the variance
    of a rater's own preference for a system."""
    rows = []
    outcomes = np.empty((passages, systems))
    strict = rng.normal(0, parts.rater**0.5, (raters, 1)) + rng.normal(
        0, own**0.5, (raters, systems)
    )
    for passage in range(passages):
        who = rng.choice(raters, each, replace=False)
        shared = 3 + rng.normal(0, parts.passage**0.5)
        for system in range(systems):
            answer = shared + rng.normal(0, parts.answer**0.5)
            values = answer + strict[who, system] + rng.normal(0, parts.rating**0.5, each)
            outcomes[passage, system] = values.mean()
            unit = passage * systems + system
            rows += [(unit, rater, value) for rater, value in zip(who, values, strict=True)]
    units, codes, values = map(np.array, zip(*rows, strict=True))
    sample = sample_of(
        outcomes.ravel(), np.zeros(outcomes.size), np.tile(np.arange(systems), passages),
        np.repeat(np.arange(passages), systems),
    )  # fmt: skip
    return sample, Ratings(units, codes, values)


def test_the_interval_of_five_raters_is_as_wide_as_the_plan_says_and_covers():
    rng = np.random.default_rng(12)
    held, fixed, widths = [], [], []
    for _ in range(150):
        sample, ratings = rated_by(rng, passages=100, raters=5, each=3)
        (alone,) = estimate_systems(sample, target="new", method="mean")
        (row,) = estimate_systems(sample, target="new", method="mean", ratings=ratings)
        held.append(row.ci[0] <= 3 <= row.ci[1])
        fixed.append(alone.ci[0] <= 3 <= alone.ci[1])
        widths.append(row.ci[1] - row.ci[0])
    assert row.over == "passages and raters" and alone.over == "passages"
    assert np.mean(held) >= 0.9 and np.mean(fixed) <= 0.75
    planned = interval_width(PARTS, 100, 3, 5, of_difference=False)
    assert np.mean(widths) == pytest.approx(planned, rel=0.12)


def test_of_a_set_that_is_all_rated_the_raters_remain():
    rng = np.random.default_rng(13)
    sample, ratings = rated_by(rng, passages=40, raters=4, each=4)
    (row,) = estimate_systems(sample, ratings=ratings)
    assert (row.method, row.over) == ("all rated", "raters")
    table = np.empty((40, 4))
    table[ratings.units, ratings.raters] = ratings.values
    assert row.se == pytest.approx(table.mean(axis=0).std(ddof=1) / 2, rel=0.05)


def test_strict_raters_cancel_in_a_difference_and_their_own_preferences_do_not():
    rng = np.random.default_rng(14)
    widths = {}
    for own in (0.0, 0.3):
        parts = VarianceComponents(passage=0.3, answer=0.3, rater=2.0, rating=0.5)
        sample, ratings = rated_by(
            rng, passages=100, raters=5, each=5, parts=parts, own=own, systems=2
        )
        gap, alone = (
            differences(estimate_systems(sample, target="new", ratings=one))[0][0]
            for one in (ratings, None)
        )
        assert gap.over == "passages and raters"
        widths[own] = (gap.ci[1] - gap.ci[0]) / (alone.ci[1] - alone.ci[0])
    assert 1 <= widths[0.0] < 1.3 < 2 < widths[0.3]


def test_ratings_are_those_of_the_group_whose_means_the_scores_are():
    columns = (
        [0, 0, 0, 1, 1],
        ["crowd", "crowd", "expert", "crowd", "crowd"],
        list("vwxvw"),
        [1.0, 2.0, 5.0, 4.0, 5.0],
    )
    known = ratings_behind(*columns, np.array([1.5, 4.5, np.nan]))
    assert known.ratings.values.tolist() == [1.0, 2.0, 4.0, 5.0]
    everyone = ratings_behind(*columns, np.array([2.67, 4.5, np.nan]))
    assert len(everyone.ratings) == 5, "a score may be rounded"
    assert "not the means" in ratings_behind(*columns, np.array([3.5, 4.5, np.nan])).reason
    assert "not known" in ratings_behind([], [], [], [], np.array([1.0])).reason


def test_a_difference_that_is_the_same_in_all_passages_is_not_tested():
    rng = np.random.default_rng(17)
    first = rng.normal(size=30)
    outcomes = np.stack([first, first + 0.1], axis=1).ravel()
    sample = sample_of(
        outcomes, np.zeros(60), np.tile(np.arange(2), 30), np.repeat(np.arange(30), 2)
    )
    rows = estimate_systems(sample, target="new")
    gaps, ranks = differences(rows)
    assert all(row.ci is not None for row in rows)
    assert gaps == [] and {row.rank for row in ranks} == {1}
