"""Grouped correlations against mt-metrics-eval's recorded figures and against scipy in a loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from concord.meta.inference import COEFFICIENTS, GROUPINGS, SampleError, ScoredSample, correlations
from tests.concord.meta.inference.made_up import (
    GOLDEN,
    gappy_sample,
    golden_sample,
    group_codes,
    plain_mean,
)

scores = hnp.arrays(np.float64, (4, 5), elements=st.integers(-4, 4).map(float))


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_the_figures_are_those_of_mt_metrics_eval(coefficient, grouping):
    for row in correlations(golden_sample(), coefficient, grouping):
        expected = GOLDEN["correlations"][row.metric][grouping][coefficient]
        assert row.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_with_missing_entries_the_figures_are_scipys_group_by_group(coefficient, grouping, seed):
    sample = gappy_sample(seed)
    for m, row in enumerate(correlations(sample, coefficient, grouping)):
        groups = group_codes(sample, grouping)
        expected = plain_mean(coefficient, sample.scores[m], sample.gold, groups)
        assert row.value == pytest.approx(expected, abs=1e-9)
        assert row.groups == len(np.unique(groups))
        assert row.groups == row.used + row.too_few + row.gold_constant + row.metric_constant


@given(scores, scores, st.permutations(range(20)), st.sampled_from(COEFFICIENTS))
def test_order_scale_and_shift_change_nothing_and_turning_changes_the_sign(x, y, order, kind):
    systems, items = (codes.ravel() for codes in np.indices(x.shape))
    x, y, order = x.ravel(), y.ravel(), np.array(order)
    for grouping in GROUPINGS:
        base = correlations(
            ScoredSample.from_scores({"m": x}, y, items=items, systems=systems), kind, grouping
        )[0]
        moved = ScoredSample.from_scores(
            {"m": (3.0 * x + 7.0)[order]}, y[order] / 4, items=items[order], systems=systems[order]
        )
        turned = ScoredSample.from_scores({"m": -x}, y, items=items, systems=systems)
        if base.value is None:
            assert base.figure.reason
            assert correlations(moved, kind, grouping)[0].value is None
            continue
        assert -1 <= base.value <= 1
        assert correlations(moved, kind, grouping)[0].value == pytest.approx(base.value, abs=1e-9)
        assert correlations(turned, kind, grouping)[0].value == pytest.approx(-base.value, abs=1e-9)


def test_groups_left_out_are_counted_by_their_reason():
    sample = ScoredSample.from_scores(
        {"m": np.array([1, 2, 3, 3, 1, 2, 9.0])},
        np.array([1, 2, 1, 2, 4, 4, 1.0]),
        items=list("aabbccd"),
    )
    row = correlations(sample, "pearson", "item")[0]
    assert row.value == pytest.approx(1.0) and row.used == 1
    assert (row.groups, row.too_few, row.gold_constant, row.metric_constant) == (4, 1, 1, 1)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("grouping", GROUPINGS)
def test_a_constant_or_incomplete_metric_is_undefined_and_says_why(coefficient, grouping):
    base = gappy_sample()
    gap = base.scores[0].copy()
    gap[3] = np.nan
    sample = ScoredSample.from_scores(
        {"good": base.scores[0], "same": np.full(base.n, 0.5), "gap": gap, "none": gap * np.nan},
        base.gold,
        items=base.items,
        systems=base.systems,
    )
    good, same, gapped, none = correlations(sample, coefficient, grouping)
    assert good.value == correlations(base, coefficient, grouping)[0].value
    assert "every candidate the same score, 0.5" in same.figure.reason
    assert f"no score for 1 of {base.n}" in gapped.figure.reason
    assert none.figure.reason == "the metric scored none of the candidates"


def test_a_metric_constant_within_every_item_is_undefined_by_item_only():
    items = np.repeat(np.arange(4), 3)
    sample = ScoredSample.from_scores({"m": items.astype(float)}, np.arange(12.0), items=items)
    assert correlations(sample, "spearman")[0].value is not None
    reason = correlations(sample, "spearman", "item")[0].figure.reason
    assert reason == "the metric gives all candidates of each item the same score"


def test_equal_decimals_are_constant_though_their_mean_is_rounded():
    sample = ScoredSample.from_scores({"m": np.full(7, 0.1)}, np.arange(7.0), items=np.arange(7))
    assert correlations(sample, "pearson")[0].value is None


def test_without_known_systems_there_is_no_figure_by_system():
    sample = ScoredSample.from_scores({"m": np.arange(5.0)}, np.arange(5.0), items=np.arange(5))
    reason = correlations(sample, "pearson", "sys")[0].figure.reason
    assert reason == "no candidate's system is known"


def test_unjudged_candidates_are_left_out_and_counted():
    sample = ScoredSample.from_scores({"m": np.arange(4.0)}, [1, np.nan, 2, 4], items=list("abcd"))
    assert (sample.n, sample.unjudged) == (3, 1)
    assert correlations(sample, "spearman")[0].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"scores": {"m": np.zeros(3)}}, r"m has shape \(3,\), gold \(4,\)"),
        ({"scores": {"m": np.array([1, 2, 3, np.inf])}}, "m holds infinite values"),
        ({"gold": [1, 2, 3, np.inf]}, "gold has infinite values"),
        ({"items": [1, 2]}, r"items has shape \(2,\), gold \(4,\)"),
        ({"items": list("aabb"), "clusters": [1, 2, 3, 3]}, "more than one cluster"),
        ({"scores": {}}, "at least one metric"),
    ],
)
def test_what_cannot_be_a_sample_is_refused(changed, message):
    arguments = {
        "scores": {"m": np.arange(4.0)},
        "gold": [1, 2, 3, 4],
        "items": list("abcd"),
    } | changed
    with pytest.raises(SampleError, match=message):
        ScoredSample.from_scores(arguments.pop("scores"), arguments.pop("gold"), **arguments)
