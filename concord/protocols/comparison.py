"""Differences between a study's protocol and its preset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from concord.protocols.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Deviation:
    """A field path with the preset's value and the study's own value."""

    field: str
    preset: Any
    own: Any


def deviations(own: Protocol, preset: Protocol) -> list[Deviation]:
    """The fields in which `own` differs from `preset`, in order of definition.

    Values are in JSON form; a part that is missing on one side is None.
    """
    return list(_differences("", preset.to_json(), own.to_json()))


def _differences(path: str, preset: Any, own: Any) -> Iterator[Deviation]:
    if isinstance(preset, dict) and isinstance(own, dict):
        for name in preset:
            yield from _differences(f"{path}.{name}".lstrip("."), preset[name], own.get(name))
    elif preset != own:
        yield Deviation(path, preset, own)
