"""Simulated raters for planning, demonstration and tests."""

from concord.simulation.raters import Crowd, SimulatedRater, SimulationError, latent_score

__all__ = ["Crowd", "SimulatedRater", "SimulationError", "latent_score"]
