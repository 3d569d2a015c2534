"""The tables of rating studies."""

from annotation.models.collection import Assignment, Hit, HitCandidate, Rating, RatingChange
from annotation.models.people import Message, Participation, Worker
from annotation.models.quality import Adjudication, LedgerStep, SpotCheck
from annotation.models.studies import ProtocolVersion, Stage, Study, StudyCandidate, StudyInstance
from annotation.models.uploads import Upload

__all__ = [
    "Adjudication",
    "Assignment",
    "Hit",
    "HitCandidate",
    "LedgerStep",
    "Message",
    "Participation",
    "ProtocolVersion",
    "Rating",
    "RatingChange",
    "SpotCheck",
    "Stage",
    "Study",
    "StudyCandidate",
    "StudyInstance",
    "Upload",
    "Worker",
]
