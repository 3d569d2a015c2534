"""The error of the evaluation plane."""

from __future__ import annotations


class PlaneError(ValueError):
    """Data or parameters are invalid, or too few, for the evaluation plane."""
