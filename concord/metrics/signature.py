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
