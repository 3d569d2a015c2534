"""Sampling designs: rules, draws with stored probabilities, and estimates from them."""

from concord.sampling.draws import (
    Wave,
    available_units,
    draw_wave,
    unit_hashes,
    unit_weights,
    wave_weights,
)
from concord.sampling.estimates import complete_waves, estimate_design, estimate_wave
from concord.sampling.looks import look_levels
from concord.sampling.population import UNITS, Population, Unit, make_population, to_population
from concord.sampling.replay import DesignReplay, RuleReplay, collect, replay_design_steps
from concord.sampling.report import estimate_sampled, report_design
from concord.sampling.rules import (
    AIMS,
    MIN_WAVE,
    RULES,
    STRATIFY_BY,
    Aim,
    RuleName,
    SamplingRule,
    default_wave_size,
    inclusion_probabilities,
)
from concord.sampling.stopping import TARGET_KINDS, Look, StoppingRule, look, stopping_rule
from concord.sampling.stored import complete_records, stored_design, stored_waves, unit_records

__all__ = [
    "AIMS",
    "MIN_WAVE",
    "RULES",
    "STRATIFY_BY",
    "TARGET_KINDS",
    "UNITS",
    "Aim",
    "DesignReplay",
    "Look",
    "Population",
    "RuleName",
    "RuleReplay",
    "SamplingRule",
    "StoppingRule",
    "Unit",
    "Wave",
    "available_units",
    "collect",
    "complete_records",
    "complete_waves",
    "default_wave_size",
    "draw_wave",
    "estimate_design",
    "estimate_sampled",
    "estimate_wave",
    "inclusion_probabilities",
    "look",
    "look_levels",
    "make_population",
    "replay_design_steps",
    "report_design",
    "stopping_rule",
    "stored_design",
    "stored_waves",
    "to_population",
    "unit_hashes",
    "unit_records",
    "unit_weights",
    "wave_weights",
]
