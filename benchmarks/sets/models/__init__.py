"""The tables of judgment sets: instances, candidates, pairs, ratings, members, hidden labels."""

from benchmarks.sets.models.criteria import Criterion, CriterionRating, Marks
from benchmarks.sets.models.hidden import HiddenLabels
from benchmarks.sets.models.judgments import (
    NAME_PATTERN,
    REFERENCE,
    Candidate,
    CandidateSampling,
    Instance,
    JudgmentSet,
    JudgmentSetQuerySet,
    MinimalPair,
    Rating,
    SetMember,
)

__all__ = [
    "NAME_PATTERN",
    "REFERENCE",
    "Candidate",
    "CandidateSampling",
    "Criterion",
    "CriterionRating",
    "HiddenLabels",
    "Instance",
    "JudgmentSet",
    "JudgmentSetQuerySet",
    "Marks",
    "MinimalPair",
    "Rating",
    "SetMember",
]
