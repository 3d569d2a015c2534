"""Where a study's protocol departs from the preset it began with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from concord.protocols.protocol import Protocol


@dataclass(frozen=True, slots=True)
class Deviation:
    """A field, by its path, with the preset's value and the study's own."""

    field: str
    preset: Any
    own: Any


def deviations(own: Protocol, preset: Protocol) -> list[Deviation]:
    """Every field in which `own` differs from `preset`, in the protocol's order of fields.

    Values are as in the protocols' JSON form; a part that one side lacks is None there.
    """
    return list(_differences("", preset.to_json(), own.to_json()))


def _differences(path: str, preset: Any, own: Any) -> Iterator[Deviation]:
    if isinstance(preset, dict) and isinstance(own, dict):
        for name in preset:
            yield from _differences(f"{path}.{name}".lstrip("."), preset[name], own.get(name))
    elif preset != own:
        yield Deviation(path, preset, own)
