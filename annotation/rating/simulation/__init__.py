"""Simulated raters of a study."""
