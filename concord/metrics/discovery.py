"""Discovery of metrics of installed packages by entry points."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from concord.metrics.registration import Registration

GROUP = "concord.metrics"
BUILT_IN = "scorers"
ENGINE_GROUP = "concord.scoring"


class NoScoringEngineError(RuntimeError):
    """No installed package computes metrics."""


@dataclass(frozen=True)
class ExternalMetrics:
    """Metrics of other packages: `registrations` by metric name, `errors` by entry point name."""

    registrations: Mapping[str, Registration]
    errors: Mapping[str, str]


def load_external_metrics(reserved: Collection[str]) -> ExternalMetrics:
    """The registrations of all entry points of the group `concord.metrics` but Concord's own.

    An entry point is ignored, with an error in `errors`, where it cannot be loaded, is not a
    sequence of registrations, or uses a name in `reserved` or of an earlier entry point.
    """
    registrations: dict[str, Registration] = {}
    errors: dict[str, str] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name == BUILT_IN:
            continue
        try:
            entries = _load(point)
            used = [entry.name for entry in entries if entry.name in {*reserved, *registrations}]
            if used:
                raise ValueError(f"the name {', '.join(used)} is taken by another metric")
        except Exception as error:  # whatever another package's import raises
            errors[point.name] = f"{type(error).__name__}: {error}"
        else:
            registrations |= {entry.name: entry for entry in entries}
    return ExternalMetrics(registrations, errors)


def _load(point: EntryPoint) -> tuple[Registration, ...]:
    entries = tuple(point.load())
    if not all(isinstance(entry, Registration) for entry in entries):
        raise TypeError(f"{point.value} must be a sequence of concord.metrics.Registration")
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        raise ValueError(f"{point.value} registers a name twice")
    return entries


def scoring_engine() -> Any:
    """The module that parses metric names and scores items: `parse_metrics` and `Session`.

    Raises NoScoringEngineError where none is installed.
    """
    for point in entry_points(group=ENGINE_GROUP):
        return point.load()
    raise NoScoringEngineError(
        "no package that computes metrics is installed: install Concord itself (pip install .)"
    )
