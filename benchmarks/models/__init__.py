"""The tables of the benchmark half: frozen judgment sets, metric runs and analyses over them."""

from benchmarks.models.analyses import Analysis
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

__all__ = [
    "Analysis",
    "Candidate",
    "DisagreementTag",
    "HiddenLabels",
    "Instance",
    "JudgmentSet",
    "MetricRun",
    "MinimalPair",
    "Rating",
    "RunChunk",
    "SetMember",
    "Submission",
]
