"""The tables of the benchmark half: frozen judgment sets and the metric runs over them."""

from benchmarks.models.judgments import Candidate, Instance, JudgmentSet, MinimalPair, Rating
from benchmarks.models.runs import MetricRun, RunChunk

__all__ = [
    "Candidate",
    "Instance",
    "JudgmentSet",
    "MetricRun",
    "MinimalPair",
    "Rating",
    "RunChunk",
]
