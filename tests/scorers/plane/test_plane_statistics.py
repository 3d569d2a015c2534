"""Samples of the plane: candidates left out, refusals and sums over systems."""

import numpy as np
import pytest

from scorers.aev.counts import NgramCounts
from scorers.plane.statistics import PlaneError, PlaneSample


def table(rows: int) -> NgramCounts:
    return NgramCounts(np.arange(rows * 18, dtype=np.int64).reshape(rows, 18))


SYSTEMS = ["e", "d", "c", "b", "a"]


def test_candidates_without_gold_or_system_are_left_out_and_counted() -> None:
    gold = [1.0, 2.0, 3.0, 4.0, 5.0, np.nan, 6.0]
    sample = PlaneSample.of(
        table(7), gold, systems=[*SYSTEMS, "a", ""], clusters=[3, 3, 3, 1, 1, 1, 9]
    )
    assert (sample.n, sample.unjudged, sample.without_system) == (5, 1, 1)
    assert sample.system_names == ("a", "b", "c", "d", "e")
    assert sample.systems.tolist() == [4, 3, 2, 1, 0]
    assert sample.clusters.tolist() == [1, 1, 1, 0, 0]
    assert sample.cluster_count == 2


@pytest.mark.parametrize(
    ("systems", "message"),
    [(["a", "b", "c", "d", "d"], "not 4"), (["a"] * 5, "not 1"), ([""] * 5, "not 0")],
)
def test_fewer_than_five_systems_are_refused(systems: list[str], message: str) -> None:
    with pytest.raises(PlaneError, match=f"the plane needs at least 5 systems.*{message}"):
        PlaneSample.of(table(5), np.ones(5), systems=systems, clusters=range(5))


def test_a_system_without_judged_answers_does_not_count() -> None:
    with pytest.raises(PlaneError, match="not 4"):
        PlaneSample.of(table(5), [1, 1, 1, 1, np.nan], systems=SYSTEMS, clusters=range(5))


def test_arrays_of_different_lengths_are_refused() -> None:
    with pytest.raises(PlaneError, match=r"gold must have shape \(5,\), not \(4,\)"):
        PlaneSample.of(table(5), np.ones(4), systems=SYSTEMS, clusters=range(5))
    with pytest.raises(PlaneError, match="clusters must have shape"):
        PlaneSample.of(table(5), np.ones(5), systems=SYSTEMS, clusters=range(6))
    with pytest.raises(PlaneError, match="infinite"):
        PlaneSample.of(table(5), [1, 1, 1, 1, np.inf], systems=SYSTEMS, clusters=range(5))


def test_sums_of_a_draw_equal_those_of_its_candidates(sample: PlaneSample) -> None:
    rng = np.random.default_rng(3)
    drawn = rng.integers(sample.cluster_count, size=sample.cluster_count)
    taken = np.bincount(drawn, minlength=sample.cluster_count).astype(np.int32)[None]
    sums = sample.sums(sample.counts.astype(np.float64), taken)[0]
    for system in range(len(sample.system_names)):
        rows = [
            i
            for cluster in drawn
            for i in np.flatnonzero((sample.clusters == cluster) & (sample.systems == system))
        ]
        assert sums[system].tolist() == sample.counts[rows].sum(axis=0).tolist()
    once = np.ones_like(taken)
    plain = sample.sums(sample.counts.astype(np.float64))
    assert sample.sums(sample.counts.astype(np.float64), once)[0].tolist() == plain.tolist()
