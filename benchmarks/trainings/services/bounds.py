"""Least and greatest value of each number of a training, for the form and the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Number = int | float

_BOUNDS: Mapping[str, tuple[Number, Number]] = {
    "epochs": (1, 100),
    "patience": (1, 100),
    "batch_size": (1, 1024),
    "max_tokens": (8, 512),
    "lora_rank": (0, 256),
    "layer": (0, 6),  # the default encoder's, on which trainings of the site stand
    "bound": (0, 1e6),
    "made": (0, 1),
    "dev_share": (0.01, 0.9),
    "test_share": (0, 0.9),
    "split_seed": (0, 2**31),
}
MAX_LICENCE = 200
MAX_NOTES = 2000
MAX_CONSTITUENT = 100


def bounds(name: str) -> dict[str, Any]:
    """`min_value` and `max_value` of a field of this name, of Django's forms or of the API."""
    low, high = _BOUNDS[name]
    return {"min_value": low, "max_value": high}
