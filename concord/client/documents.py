"""The documents of the API (`concord.documents`) by the names that they have in the client."""

from concord.documents.base import Document
from concord.documents.board import BoardDocument as Board
from concord.documents.candidates import CandidateDocument as Candidate
from concord.documents.candidates import PairDocument as MinimalPair
from concord.documents.crowds import PublicationDocument as Publication
from concord.documents.model_judges import JudgeLooksDocument as JudgeLooks
from concord.documents.model_judges import ModelJudgeDocument as ModelJudge
from concord.documents.model_judges import SecondLookDocument as SecondLook
from concord.documents.quality import AgreementDocument as Agreement
from concord.documents.quality import WorkerDocument as Worker
from concord.documents.ratings import DisagreementDocument as RaterDisagreement
from concord.documents.ratings import StudyRatingDocument as Rating
from concord.documents.runs import AnalysisDocument as Analysis
from concord.documents.runs import RunDocument as Run
from concord.documents.runs import SubmissionDocument as Submission
from concord.documents.sampling import SamplingDocument as Sampling
from concord.documents.sets import FreezingDocument as Freezing
from concord.documents.sets import ImportDocument as SetImport
from concord.documents.sets import SetDetailDocument as JudgmentSetDetail
from concord.documents.sets import SetDocument as JudgmentSet
from concord.documents.stages import StageDocument as Stage
from concord.documents.studies import StudyDocument as Study
from concord.documents.study_candidates import CandidateImportDocument as CandidateImport
from concord.documents.study_candidates import UploadDocument as Upload
from concord.documents.trainings import CheckpointDocument as Checkpoint
from concord.documents.trainings import TrainingDetailDocument as TrainingDetail
from concord.documents.trainings import TrainingDocument as Training
from concord.documents.tryouts import TryOutDocument as TryOut
from concord.documents.webhooks import DeliveryDocument as WebhookMessage
from concord.documents.webhooks import WebhookDocument as Webhook
from concord.documents.webhooks import WholeDeliveryDocument as WholeWebhookMessage

__all__ = [
    "Agreement",
    "Analysis",
    "Board",
    "Candidate",
    "CandidateImport",
    "Checkpoint",
    "Document",
    "Freezing",
    "JudgeLooks",
    "JudgmentSet",
    "JudgmentSetDetail",
    "MinimalPair",
    "ModelJudge",
    "Publication",
    "RaterDisagreement",
    "Rating",
    "Run",
    "Sampling",
    "SecondLook",
    "SetImport",
    "Stage",
    "Study",
    "Submission",
    "Training",
    "TrainingDetail",
    "TryOut",
    "Upload",
    "Webhook",
    "WebhookMessage",
    "WholeWebhookMessage",
    "Worker",
]
