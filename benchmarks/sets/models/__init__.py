"""The tables of judgment sets: instances, candidates, pairs, ratings, members, hidden labels."""

from benchmarks.sets.models.criteria import Criterion, CriterionRating, Marks
from benchmarks.sets.models.hidden import HiddenLabels
from benchmarks.sets.models.judged_pairs import JudgedPair, PairChoice
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
    "JudgedPair",
    "JudgmentSet",
    "JudgmentSetQuerySet",
    "Marks",
    "MinimalPair",
    "PairChoice",
    "Rating",
    "SetMember",
]
