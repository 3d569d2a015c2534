"""Models of studies: protocols, stages, candidates, members, uploads."""

from annotation.studies.models.members import StudyMember
from annotation.studies.models.studies import (
    SLUG,
    SLUG_HELP,
    ComparedCandidate,
    ProtocolVersion,
    Stage,
    Study,
    StudyCandidate,
    StudyInstance,
)
from annotation.studies.models.uploads import CandidateImport, Upload

__all__ = [
    "SLUG",
    "SLUG_HELP",
    "CandidateImport",
    "ComparedCandidate",
    "ProtocolVersion",
    "Stage",
    "Study",
    "StudyCandidate",
    "StudyInstance",
    "StudyMember",
    "Upload",
]
