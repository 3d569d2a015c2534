"""The tables of rating studies."""

from annotation.crowds.models import (
    CrowdAssignment,
    CrowdCall,
    CrowdEvent,
    Listing,
    Payment,
    Publication,
)
from annotation.quality.models import Adjudication, LedgerStep, SpotCheck
from annotation.rating.models import (
    Assignment,
    Hit,
    HitCandidate,
    Message,
    Participation,
    Rating,
    RatingChange,
    RetiredLookupKey,
    Worker,
)
from annotation.stages.models import CandidateDraw, SecondLookCandidate, StageSampling
from annotation.studies.models import (
    CandidateImport,
    ComparedCandidate,
    PairBatch,
    ProtocolVersion,
    Stage,
    Study,
    StudyCandidate,
    StudyInstance,
    StudyMember,
    Upload,
)

__all__ = [
    "Adjudication",
    "Assignment",
    "CandidateDraw",
    "CandidateImport",
    "ComparedCandidate",
    "CrowdAssignment",
    "CrowdCall",
    "CrowdEvent",
    "Hit",
    "HitCandidate",
    "LedgerStep",
    "Listing",
    "Message",
    "PairBatch",
    "Participation",
    "Payment",
    "ProtocolVersion",
    "Publication",
    "Rating",
    "RatingChange",
    "RetiredLookupKey",
    "SecondLookCandidate",
    "SpotCheck",
    "Stage",
    "StageSampling",
    "Study",
    "StudyCandidate",
    "StudyInstance",
    "StudyMember",
    "Upload",
    "Worker",
]
