"""The page of a metric in the documentation, and the card of its model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache

from scorers.errors import MetricError
from scorers.learned.checkpoint import shipped_names
from scorers.registry import REGISTRATIONS, parse_metrics


def docs_page(metric: str, *, is_submitted: bool) -> str | None:
    """The page's path below /docs/; None for a submitted metric and one that is not ours."""
    name = metric.partition("(")[0]
    if is_submitted or name not in _documented_names():
        return None
    return f"reference/metrics/{name}.html"


@cache
def _documented_names() -> frozenset[str]:
    return frozenset(registration.name for registration in REGISTRATIONS)


@dataclass(frozen=True)
class ModelCard:
    """The card of the checkpoint `name`; those that ship with Concord are public."""

    name: str
    is_shipped: bool


def model_card(metric: str, *, is_submitted: bool) -> ModelCard | None:
    """The card of a metric's checkpoint or keyphrase predictor; None for other metrics."""
    if is_submitted:
        return None
    try:
        options = parse_metrics(metric, "joint")[0].spec.options  # "joint" accepts every option
    except MetricError:  # its checkpoint was deleted
        return None
    name = options.get("checkpoint") or options.get("predictor")
    if not name or os.sep in name:
        return None
    return ModelCard(name, name in shipped_names())
