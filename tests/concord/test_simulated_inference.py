"""Intervals cover, and tests hold their level, on data in clusters."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference import clustered_mean
from tests.concord.simulated_inference import CLUSTERS, Design, Statistic, designs, simulate
from tests.concord.simulated_statistics import STATISTICS


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
        design.name: list(simulate(STATISTICS[name], design, 400).faults(design))
        for design in designs()
    }
    assert not any(faults.values()), faults
    assert len(faults) == 4 * len(CLUSTERS)
