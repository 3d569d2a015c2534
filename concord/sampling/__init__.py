"""Choosing what people rate: rules, draws with stored probabilities, and estimates from them."""

from concord.sampling.draws import (
    Wave,
    available_units,
    draw_wave,
    unit_hashes,
    unit_weights,
    wave_weights,
)
from concord.sampling.estimates import WaveEstimate, complete_waves, estimate_design, estimate_wave
from concord.sampling.population import UNITS, Population, Unit, to_population
from concord.sampling.rules import (
    AIMS,
    MIN_WAVE,
    RULES,
    Aim,
    RuleName,
    SamplingRule,
    inclusion_probabilities,
)

__all__ = [
    "AIMS",
    "MIN_WAVE",
    "RULES",
    "UNITS",
    "Aim",
    "Population",
    "RuleName",
    "SamplingRule",
    "Unit",
    "Wave",
    "WaveEstimate",
    "available_units",
    "complete_waves",
    "draw_wave",
    "estimate_design",
    "estimate_wave",
    "inclusion_probabilities",
    "to_population",
    "unit_hashes",
    "unit_weights",
    "wave_weights",
]
