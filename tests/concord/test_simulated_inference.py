"""Intervals cover, and tests hold their level, on data in clusters."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference import clustered_mean
from tests.concord.simulated_inference import (
    CLUSTERS,
    PAGE,
    RULE,
    Design,
    Statistic,
    designs,
    simulate,
)
from tests.concord.simulated_statistics import STATISTICS
from tests.concord.test_every_interval import (
    INDEPENDENT,
    RESAMPLED,
    ROBUST,
    statistics_with_intervals,
)

# The page says why.
KNOWN = {"meta.system_bootstrap_steps (instances)"}


def test_every_public_statistic_is_simulated():
    """Those that get their intervals from no other, by the tables of `test_every_interval`, which
    are complete."""
    simulated = {name.partition(" ")[0] for name in STATISTICS}
    assert short_names([*RESAMPLED, *ROBUST, *INDEPENDENT]) <= simulated
    assert simulated <= short_names(statistics_with_intervals())


def short_names(names):
    """`meta.pearson` of `concord.meta.correlation.pearson`: functions may move in their package."""
    return {f"{name.split('.')[1]}.{name.rpartition('.')[2]}" for name in names}


def test_the_page_has_the_figures_of_every_function():
    rows = [row for row in PAGE.read_text().partition(RULE)[2].splitlines() if row]
    cells = [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in rows]
    shown = [(name, int(clusters)) for name, clusters, *_ in cells]
    assert shown == [(name, clusters) for name in STATISTICS for clusters in CLUSTERS]
    assert {name for name, *_, beyond in cells if beyond} <= KNOWN


@pytest.mark.parametrize("name", STATISTICS)
def test_a_statistic_can_be_simulated(name):
    design = Design(30, 0.3, equal=True)
    cell = simulate(STATISTICS[name], design, repeats=10)
    assert not list(cell.faults(design)), cell


def test_a_fault_is_named():
    """A mean that takes dependent items as independent covers too little."""

    def naive(data, effect):
        return clustered_mean(data.normal() + effect, np.arange(data.n), null=0.0)

    design = Design(30, 0.3, equal=False)
    cell = simulate(Statistic(naive, lambda effect: effect, 0.3, 0.0), design, 300)
    assert [fault.rpartition(" ")[0] for fault in cell.faults(design)] == ["coverage", "type I"]


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", STATISTICS)
def test_no_design_has_a_fault(name):
    faults = {
        design.name: list(simulate(STATISTICS[name], design, 100).faults(design))
        for design in designs()
    }
    assert name in KNOWN or not any(faults.values()), faults
    assert len(faults) == 4 * len(CLUSTERS)
