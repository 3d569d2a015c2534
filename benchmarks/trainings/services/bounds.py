"""Bounds of a training's choices, as arguments of form fields and serializer fields."""

from __future__ import annotations

from typing import Any

from benchmarks.trainings.services.choices import Choices
from concord.bounds import Items, Number, find_bound


def bounds(name: str) -> dict[str, Any]:
    """`min_value` and `max_value` of a number, `max_length` of a text or list."""
    bound = find_bound(Choices, name)
    if isinstance(bound, Number):
        return {"min_value": bound.minimum, "max_value": bound.maximum}
    return {"max_length": bound.max_items if isinstance(bound, Items) else bound.max_chars}
