"""The tables of benchmarks: judgment sets, metric runs, analyses and jobs."""

from benchmarks.analyses.models import Analysis
from benchmarks.errors.models import DisagreementTag, WordWeights
from benchmarks.freezing.models import Freezing
from benchmarks.imports.models import SetImport, SetImportPart
from benchmarks.runs.models import CriterionStatistics, MetricRun, RunChunk, Submission
from benchmarks.sets.models import (
    Candidate,
    Criterion,
    CriterionRating,
    HiddenLabels,
    Instance,
    JudgedPair,
    JudgmentSet,
    Marks,
    MinimalPair,
    PairChoice,
    Rating,
    SetMember,
)
from benchmarks.trainings.models import Checkpoint, Training, TrainingFile
from benchmarks.tryouts.models import TryOut

__all__ = [
    "Analysis",
    "Candidate",
    "Checkpoint",
    "Criterion",
    "CriterionRating",
    "CriterionStatistics",
    "DisagreementTag",
    "Freezing",
    "HiddenLabels",
    "Instance",
    "JudgedPair",
    "JudgmentSet",
    "Marks",
    "MetricRun",
    "MinimalPair",
    "PairChoice",
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
