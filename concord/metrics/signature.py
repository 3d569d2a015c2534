"""Signatures of scores: metric, settings, references, versions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version


@cache
def installed_version(distribution: str) -> str:
    """The version of an installed distribution according to its metadata."""
    return version(distribution)


def format_signature(base: str, fields: Mapping[str, str]) -> str:
    """Join a metric's base name and `key:value` fields with bars, in the order given."""
    return "|".join([base, *(f"{key}:{value}" for key, value in fields.items())])


def model_variant(signature: str) -> str:
    """How the model behind a score differs from the published one of the metric's name, in a word.

    "features": a trained judge whose head combines the scores of other metrics, which neither LERC
    nor AVA as published does. "" where the model is as published, or there is none.
    """
    fields = dict(part.partition(":")[::2] for part in signature.split("|")[1:])
    has_features = fields.get("features", "none") != "none"
    return "features" if "checkpoint" in fields and has_features else ""


def variant_suffix(signature: str) -> str:
    """` (features)` for a metric's name in tables; "" where `model_variant` is empty."""
    variant = model_variant(signature)
    return f" ({variant})" if variant else ""
