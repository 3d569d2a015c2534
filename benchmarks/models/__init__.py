"""The tables of benchmarks: judgment sets, metric runs, analyses and jobs."""

from benchmarks.analyses.models import Analysis
from benchmarks.checkpoints.models import Checkpoint
from benchmarks.freezing.models import Freezing
from benchmarks.imports.models import SetImport, SetImportPart
from benchmarks.judging.models import ModelAnswer, ModelJudge
from benchmarks.runs.models import (
    CriterionStatistics,
    JudgeAnswer,
    MetricRun,
    RunChunk,
    Submission,
)
from benchmarks.sets.models import (
    Candidate,
    CandidateSampling,
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
from benchmarks.tryouts.models import TryOut

__all__ = [
    "Analysis",
    "Candidate",
    "CandidateSampling",
    "Checkpoint",
    "Criterion",
    "CriterionRating",
    "CriterionStatistics",
    "Freezing",
    "HiddenLabels",
    "Instance",
    "JudgeAnswer",
    "JudgedPair",
    "JudgmentSet",
    "Marks",
    "MetricRun",
    "MinimalPair",
    "ModelAnswer",
    "ModelJudge",
    "PairChoice",
    "Rating",
    "RunChunk",
    "SetImport",
    "SetImportPart",
    "SetMember",
    "Submission",
    "TryOut",
]
