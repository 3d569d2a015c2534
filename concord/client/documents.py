"""The documents of the API (`concord.documents`) by the names that they have in the client."""

from concord.documents.base import Document
from concord.documents.board import BoardDocument as Board
from concord.documents.crowds import PublicationDocument as Publication
from concord.documents.quality import AgreementDocument as Agreement
from concord.documents.runs import AnalysisDocument as Analysis
from concord.documents.runs import RunDocument as Run
from concord.documents.sets import FreezingDocument as Freezing
from concord.documents.sets import ImportDocument as SetImport
from concord.documents.sets import SetDetailDocument as JudgmentSetDetail
from concord.documents.sets import SetDocument as JudgmentSet
from concord.documents.stages import StageDocument as Stage
from concord.documents.studies import StudyDocument as Study
from concord.documents.study_candidates import CandidateImportDocument as CandidateImport
from concord.documents.study_candidates import UploadDocument as Upload

__all__ = [
    "Agreement",
    "Analysis",
    "Board",
    "CandidateImport",
    "Document",
    "Freezing",
    "JudgmentSet",
    "JudgmentSetDetail",
    "Publication",
    "Run",
    "SetImport",
    "Stage",
    "Study",
    "Upload",
]
