"""The tables of rating studies."""

from annotation.models.collection import Assignment, Hit, HitCandidate, Rating, RatingChange
from annotation.models.crowds import (
    CrowdAssignment,
    CrowdCall,
    CrowdEvent,
    Listing,
    Payment,
    Publication,
)
from annotation.models.members import StudyMember
from annotation.models.people import Message, Participation, RetiredLookupKey, Worker
from annotation.models.quality import Adjudication, LedgerStep, SpotCheck
from annotation.models.studies import ProtocolVersion, Stage, Study, StudyCandidate, StudyInstance
from annotation.models.uploads import Upload

__all__ = [
    "Adjudication",
    "Assignment",
    "CrowdAssignment",
    "CrowdCall",
    "CrowdEvent",
    "Hit",
    "HitCandidate",
    "LedgerStep",
    "Listing",
    "Message",
    "Participation",
    "Payment",
    "ProtocolVersion",
    "Publication",
    "Rating",
    "RatingChange",
    "RetiredLookupKey",
    "SpotCheck",
    "Stage",
    "Study",
    "StudyCandidate",
    "StudyInstance",
    "StudyMember",
    "Upload",
    "Worker",
]
