"""Metrics asked for from outside the server: by a page or a program."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings

import scorers
from scorers import Metric, MetricError

MAX_METRICS = 100
# Options that may name a folder or an id on the hub.
_MODELS = ("model", "predictor", "checkpoint")


def metrics_asked_for(named: str, multi_ref: str = "max") -> list[Metric]:
    """The metrics of a comma-separated list, each with a model that is there.

    A page makes the server neither read a folder nor fetch a model of the asker's choice: models
    are those of the box, checkpoints trained or brought here, by their names, and what
    `ALLOWED_MODELS` lists. Commands, given by who has a shell, take any.

    Raises MetricError, saying what would have been right, and ModelError for a model that is not
    there.
    """
    metrics = scorers.parse_metrics(named, multi_ref)
    if len(metrics) > MAX_METRICS:
        raise MetricError(f"there are {len(metrics)} metrics; at most {MAX_METRICS} start at once")
    for metric in metrics:
        (plain,) = scorers.parse_metrics(metric.spec.base)
        for option in _MODELS:
            value = metric.spec.options.get(option)
            if value != plain.spec.options.get(option) and not _is_allowed(option, value):
                raise MetricError(
                    f"{metric.name} names a {option} that is none of those in the box or trained "
                    "here: who keeps this installation can allow it with ALLOWED_MODELS, or score "
                    "it by command"
                )
        metric.settings()
    return metrics


def _is_allowed(option: str, value: Any) -> bool:
    named_checkpoint = option != "model" and os.sep not in value
    return named_checkpoint or value in settings.ALLOWED_MODELS
