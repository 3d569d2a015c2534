"""Metrics that are requested by a page or the API."""

from __future__ import annotations

from django.conf import settings

import scorers
from scorers import Metric, MetricError
from scorers.encoders import is_added
from scorers.encoders.locate import KNOWN
from scorers.learned.card import CheckpointCard
from scorers.learned.checkpoint import checkpoint_folder, named_folder

MAX_METRICS = 100
# Options that may name a folder or an id on the hub.
_CHECKPOINTS = ("predictor", "checkpoint")
_MODELS = ("model", *_CHECKPOINTS)


def parse_requested_metrics(names: str, multi_ref: str = "max") -> list[Metric]:
    """The metrics of a comma-separated list, with their models checked.

    Pages and the API cannot make the server read any folder or download any model. Allowed are the
    shipped models, the encoders that the operator added, the names of trained or imported
    checkpoints, and ALLOWED_MODELS. Commands allow all models.

    Raises MetricError, and ModelError if a model is not available.
    """
    metrics = scorers.parse_metrics(names, multi_ref)
    if len(metrics) > MAX_METRICS:
        raise MetricError(f"there are {len(metrics)} metrics; at most {MAX_METRICS} start at once")
    for metric in metrics:
        (default,) = scorers.parse_metrics(metric.spec.base)
        for option in _MODELS:
            value = metric.spec.options.get(option, "")
            if value == default.spec.options.get(option, ""):
                continue
            if not _is_allowed(option, value):
                raise MetricError(
                    f"{metric.name} names a {option} that is neither shipped nor trained here; an "
                    "administrator can add it to ALLOWED_MODELS, or score it by command"
                )
            if option in _CHECKPOINTS:
                _check_encoder(metric, value)
        metric.settings()
    return metrics


def _check_encoder(metric: Metric, checkpoint: str) -> None:
    """Raises MetricError if the encoder of a checkpoint can be added here but was not."""
    encoder = CheckpointCard.read(checkpoint_folder(checkpoint)).encoder
    if encoder in KNOWN and KNOWN[encoder].archive and not is_added(encoder):
        raise MetricError(
            f"{metric.name} needs the encoder {encoder}, which is not on this server; an "
            f"administrator can add it by `python -m scorers encoders add {encoder}`"
        )


def _is_allowed(option: str, value: str) -> bool:
    if option == "model" and is_added(value):
        return True
    is_checkpoint = option in _CHECKPOINTS and named_folder(value) is not None
    return is_checkpoint or value in settings.ALLOWED_MODELS
