"""Trainings of learned metrics, from the page's form to a metric by the training's name."""

from benchmarks.services.trainings.checkpoints import exported, folder_of, imported
from benchmarks.services.trainings.choices import DESIGNS, FEATURES, KINDS, Choices, Kind, file_name
from benchmarks.services.trainings.requests import (
    TrainingRefusedError,
    delete,
    request,
    stale,
    stop,
    take_up,
)
from benchmarks.services.trainings.work import perform

__all__ = [
    "DESIGNS",
    "FEATURES",
    "KINDS",
    "Choices",
    "Kind",
    "TrainingRefusedError",
    "delete",
    "exported",
    "file_name",
    "folder_of",
    "imported",
    "perform",
    "request",
    "stale",
    "stop",
    "take_up",
]
