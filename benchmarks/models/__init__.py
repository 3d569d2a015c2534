"""The tables of benchmarks: judgment sets, metric runs, analyses and jobs."""

from benchmarks.analyses.models import Analysis
from benchmarks.errors.models import DisagreementTag, WordWeights
from benchmarks.freezing.models import Freezing
from benchmarks.imports.models import SetImport, SetImportPart
from benchmarks.runs.models import MetricRun, RunChunk, Submission
from benchmarks.sets.models import (
    Candidate,
    CandidateSampling,
    HiddenLabels,
    Instance,
    JudgmentSet,
    MinimalPair,
    Rating,
    SetMember,
)
from benchmarks.trainings.models import Checkpoint, Training, TrainingFile
from benchmarks.tryouts.models import TryOut

__all__ = [
    "Analysis",
    "Candidate",
    "CandidateSampling",
    "Checkpoint",
    "DisagreementTag",
    "Freezing",
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
    "WordWeights",
]
