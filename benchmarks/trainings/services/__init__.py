"""Trainings of learned metrics, from the page's form to a metric by the training's name."""

from benchmarks.trainings.services.bounds import bounds
from benchmarks.trainings.services.checkpoints import exported, folder_of, imported
from benchmarks.trainings.services.choices import (
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
from benchmarks.trainings.services.files import uploaded
from benchmarks.trainings.services.requests import (
    TrainingRefusedError,
    delete,
    request,
    stop,
    take_up,
)
from benchmarks.trainings.services.starting import startable
from benchmarks.trainings.services.work import perform

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
    "startable",
    "stop",
    "take_up",
    "uploaded",
]
