"""Simulated raters, for planning, demonstration and tests. Pure and seeded."""

from concord.simulation.raters import Crowd, SimulatedRater, SimulationError, latent_score

__all__ = ["Crowd", "SimulatedRater", "SimulationError", "latent_score"]
