"""Trainings of learned metrics, from the request to the checkpoint."""

from benchmarks.trainings.services.checkpoints import export, folder_of, import_checkpoint
from benchmarks.trainings.services.choices import (
    CHOICES,
    DESIGNS,
    FEATURES,
    KINDS,
    PARTS,
    READINGS,
    TrainingKind,
    TrainingOptions,
    safe_file_name,
)
from benchmarks.trainings.services.files import read_uploads
from benchmarks.trainings.services.requests import (
    TrainingRefusedError,
    delete,
    request,
    resume,
    stop,
)
from benchmarks.trainings.services.starting import start_checkpoints
from benchmarks.trainings.services.work import perform

__all__ = [
    "CHOICES",
    "DESIGNS",
    "FEATURES",
    "KINDS",
    "PARTS",
    "READINGS",
    "TrainingKind",
    "TrainingOptions",
    "TrainingRefusedError",
    "delete",
    "export",
    "folder_of",
    "import_checkpoint",
    "perform",
    "read_uploads",
    "request",
    "resume",
    "safe_file_name",
    "start_checkpoints",
    "stop",
]
