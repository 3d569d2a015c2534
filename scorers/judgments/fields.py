"""Checked reading of a judgment's fields, with errors that name file, place and field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scorers.jsonl import FileError

Scale = tuple[float, float]


def text_field(row: Mapping[str, Any], name: str, where: str, *, required: bool = False) -> str:
    """A text; "" where it is missing or null and not required."""
    value = row.get(name)
    if value is None and not required:
        return ""
    if not isinstance(value, str):
        problem = "is missing" if value is None else "must be a string"
        raise FileError(f"{where}, field {name}: {problem}")
    return value


def number_field(value: Any, name: str, where: str) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise FileError(f"{where}, field {name}: must be a number, not {value!r}")
    return float(value)


def share_of_scale(value: float, scale: Scale, name: str, where: str) -> float:
    """A score as a share of its scale, from 0 to 1."""
    low, high = scale
    if not low <= value <= high:
        raise FileError(f"{where}, field {name}: {value:g} is off the scale {low:g} to {high:g}")
    return (value - low) / (high - low)


def scale_field(value: Any, where: str) -> Scale:
    """A scale, given as its two ends."""
    if not isinstance(value, list) or len(value) != 2:
        raise FileError(f"{where}, field scale: must be a list of two numbers")
    low, high = (number_field(end, "scale", where) for end in value)
    if not low < high:
        raise FileError(f"{where}, field scale: its ends must differ, the lower one first")
    return low, high
