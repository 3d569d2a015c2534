"""The tables of the benchmark half: frozen judgment sets, metric runs and analyses over them."""

from benchmarks.models.analyses import Analysis
from benchmarks.models.judgments import Candidate, Instance, JudgmentSet, MinimalPair, Rating
from benchmarks.models.runs import MetricRun, RunChunk

__all__ = [
    "Analysis",
    "Candidate",
    "Instance",
    "JudgmentSet",
    "MetricRun",
    "MinimalPair",
    "Rating",
    "RunChunk",
]
