"""The tables of the benchmark half: frozen judgment sets, metric runs and analyses over them."""

from benchmarks.models.analyses import Analysis
from benchmarks.models.imports import SetImport, SetImportPart
from benchmarks.models.judgments import (
    Candidate,
    Instance,
    JudgmentSet,
    MinimalPair,
    Rating,
    SetMember,
)
from benchmarks.models.runs import MetricRun, RunChunk
from benchmarks.models.submissions import HiddenLabels, Submission
from benchmarks.models.tags import DisagreementTag
from benchmarks.models.trainings import Checkpoint, Training, TrainingFile
from benchmarks.models.tryouts import TryOut

__all__ = [
    "Analysis",
    "Candidate",
    "Checkpoint",
    "DisagreementTag",
    "HiddenLabels",
    "Instance",
    "JudgmentSet",
    "MetricRun",
    "MinimalPair",
    "Rating",
    "RunChunk",
    "SetImport",
    "SetImportPart",
    "SetMember",
    "Submission",
    "Training",
    "TrainingFile",
    "TryOut",
]
