"""URLs of the API over rating studies, below /api/v1/."""

from django.urls import URLPattern, path

from annotation.crowds.api import crowd_files, crowds, review
from annotation.quality.api import agreement, choices, quality
from annotation.setup.api import studies
from annotation.stages.api import invitations, sampling, stages
from annotation.studies.api import candidates, paths

# Importing this module registers descriptions of the URL parameters.
DECLARED = (paths,)
STUDY = "studies/<str:slug>"
UPLOAD = f"{STUDY}/uploads/<int:upload>"
IMPORT = f"{STUDY}/candidate-imports/<int:import_id>"
STAGE = f"{STUDY}/stages/<str:kind>"
CROWD = f"{STUDY}/publications/<int:publication>"

urlpatterns: list[URLPattern] = [
    path("presets", studies.Presets.as_view(), name="api-presets"),
    path("studies", studies.StudiesView.as_view(), name="api-studies"),
    path(STUDY, studies.OneStudy.as_view(), name="api-study"),
    path(f"{STUDY}/protocol", studies.CurrentProtocol.as_view(), name="api-protocol"),
    path(f"{STUDY}/candidates", candidates.CandidatesView.as_view(), name="api-study-candidates"),
    path(f"{STUDY}/uploads", candidates.Uploads.as_view(), name="api-uploads"),
    path(UPLOAD, candidates.OneUpload.as_view(), name="api-upload"),
    path(f"{UPLOAD}/import", candidates.ImportUpload.as_view(), name="api-import-upload"),
    path(IMPORT, candidates.OneCandidateImport.as_view(), name="api-candidate-import"),
    path(f"{STUDY}/cost", stages.Cost.as_view(), name="api-cost"),
    path(f"{STUDY}/signed-links", invitations.SignedLinksView.as_view(), name="api-signed-links"),
    path(f"{STUDY}/stages", stages.Stages.as_view(), name="api-stages"),
    path(STAGE, stages.OneStage.as_view(), name="api-stage"),
    path(f"{STAGE}/open", stages.OpenStage.as_view(), name="api-open-stage"),
    path(f"{STAGE}/close", stages.CloseStage.as_view(), name="api-close-stage"),
    path(f"{STAGE}/sampling", sampling.Sampling.as_view(), name="api-sampling"),
    path(
        f"{STAGE}/sampling/continue",
        sampling.ContinueSampling.as_view(),
        name="api-continue-sampling",
    ),
    path(f"{STAGE}/results", crowd_files.CrowdResults.as_view(), name="api-crowd-results"),
    path(f"{STUDY}/ratings", stages.StudyRatingsView.as_view(), name="api-study-ratings"),
    path(f"{STUDY}/choices.jsonl", choices.StudyChoicesView.as_view(), name="api-study-choices"),
    path(f"{STUDY}/agreement", agreement.AgreementView.as_view(), name="api-agreement"),
    path(f"{STUDY}/ledger", quality.LedgerSteps.as_view(), name="api-ledger"),
    path(f"{STUDY}/workers", quality.Workers.as_view(), name="api-workers"),
    path(f"{STUDY}/draft", crowds.Draft.as_view(), name="api-draft"),
    path(f"{STUDY}/draft/publish", crowds.PublishView.as_view(), name="api-publish-draft"),
    path(f"{STUDY}/draft/<str:provider>", crowds.NewDraftAt.as_view(), name="api-new-draft"),
    path(f"{STUDY}/publications", crowds.Publications.as_view(), name="api-publications"),
    path(CROWD, crowds.OnePublication.as_view(), name="api-publication"),
    path(f"{CROWD}/sync", crowds.Sync.as_view(), name="api-sync"),
    path(f"{CROWD}/end", crowds.End.as_view(), name="api-end"),
    path(f"{CROWD}/missing-raters", crowds.MissingRatersView.as_view(), name="api-missing-raters"),
    path(
        f"{CROWD}/submissions", review.CrowdSubmissionsView.as_view(), name="api-crowd-submissions"
    ),
    path(f"{CROWD}/approve", review.ApproveByRule.as_view(), name="api-approve-by-rule"),
    path(f"{CROWD}/decisions.csv", crowd_files.PanelDecisions.as_view(), name="api-decisions"),
]
