"""Numbers and matrices as JSON: NaN is null, a symmetric matrix its lower triangle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from concord.arrays import Floats
from concord.documents.figures import Triangle as Triangle


def number_or_none(value: float | np.floating[Any] | None) -> float | None:
    """A float, or None for what JSON cannot hold: NaN, infinities, None."""
    return None if value is None or not math.isfinite(value) else float(value)


def lower_triangle(matrix: Floats) -> Triangle:
    """Row i holds [i, 0] to [i, i - 1], to six significant digits."""
    return [
        [None if math.isnan(value) else float(f"{value:.6g}") for value in row[:i]]
        for i, row in enumerate(matrix.tolist())
    ]


def triangle_entry(triangle: Triangle, i: int, j: int) -> float | None:
    """[i, j] of the symmetric matrix of a lower triangle."""
    return None if i == j else triangle[max(i, j)][min(i, j)]
