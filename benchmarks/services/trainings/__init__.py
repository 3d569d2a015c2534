"""Trainings of learned metrics, from the page's form to a metric by the training's name."""

from benchmarks.services.trainings.bounds import bounds
from benchmarks.services.trainings.checkpoints import exported, folder_of, imported
from benchmarks.services.trainings.choices import (
    CHOICES,
    DESIGNS,
    FEATURES,
    KINDS,
    PARTS,
    READINGS,
    Choices,
    Kind,
    file_name,
)
from benchmarks.services.trainings.files import uploaded
from benchmarks.services.trainings.requests import (
    TrainingRefusedError,
    delete,
    request,
    stale,
    stop,
    take_up,
)
from benchmarks.services.trainings.starting import startable
from benchmarks.services.trainings.work import perform

__all__ = [
    "CHOICES",
    "DESIGNS",
    "FEATURES",
    "KINDS",
    "PARTS",
    "READINGS",
    "Choices",
    "Kind",
    "TrainingRefusedError",
    "bounds",
    "delete",
    "exported",
    "file_name",
    "folder_of",
    "imported",
    "perform",
    "request",
    "stale",
    "startable",
    "stop",
    "take_up",
    "uploaded",
]
