"""The one error of this room."""

from __future__ import annotations


class PlaneError(ValueError):
    """What was given cannot be put on the plane, or cannot answer what was asked."""
