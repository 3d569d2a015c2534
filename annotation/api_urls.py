"""URLs of the API over rating studies, below /api/v1/."""

from django.urls import URLPattern, path

from annotation.crowds.api import crowd_files, crowds, review
from annotation.lifecycle import api as lifecycle
from annotation.privacy import api as privacy
from annotation.quality.api import agreement, checks, choices, quality
from annotation.setup.api import membership, studies
from annotation.stages.api import invitations, sampling, stages
from annotation.studies.api import candidates, history, paths

# Importing this module registers descriptions of the URL parameters.
DECLARED = (paths,)
STUDY = "studies/<str:slug>"
UPLOAD = f"{STUDY}/uploads/<int:upload>"
IMPORT = f"{STUDY}/candidate-imports/<int:import_id>"
STAGE = f"{STUDY}/stages/<str:kind>"
WORKER = f"{STUDY}/workers/<str:worker>"
STEP = f"{STUDY}/ledger/<int:number>"
SUBMITTED = f"{STUDY}/crowd-submissions/<int:submitted>"
CROWD = f"{STUDY}/publications/<int:publication>"

urlpatterns: list[URLPattern] = [
    *membership.URLS,
    path(f"{STUDY}/public", membership.PublicPage.as_view(), name="api-public-study"),
    path("presets", studies.Presets.as_view(), name="api-presets"),
    path("studies", studies.StudiesView.as_view(), name="api-studies"),
    path(STUDY, studies.OneStudy.as_view(), name="api-study"),
    path(f"{STUDY}/copy", lifecycle.CopyStudy.as_view(), name="api-copy-study"),
    path(f"{STUDY}/language", lifecycle.StudyLanguage.as_view(), name="api-study-language"),
    path(f"{STUDY}/archive", lifecycle.ArchiveStudy.as_view(), name="api-archive-study"),
    path(f"{STUDY}/restore", lifecycle.RestoreStudy.as_view(), name="api-restore-study"),
    path(f"{STUDY}/delete", lifecycle.DeleteStudy.as_view(), name="api-delete-study"),
    path(f"{STUDY}/protocol", studies.CurrentProtocol.as_view(), name="api-protocol"),
    path(f"{STUDY}/protocols", studies.Protocols.as_view(), name="api-protocols"),
    path(f"{STUDY}/candidates", candidates.CandidatesView.as_view(), name="api-study-candidates"),
    path(f"{STUDY}/minimal-pairs", candidates.WritePair.as_view(), name="api-write-pair"),
    path(f"{STUDY}/uploads", candidates.Uploads.as_view(), name="api-uploads"),
    path(UPLOAD, candidates.OneUpload.as_view(), name="api-upload"),
    path(f"{UPLOAD}/import", candidates.ImportUpload.as_view(), name="api-import-upload"),
    path(IMPORT, candidates.OneCandidateImport.as_view(), name="api-candidate-import"),
    path(
        f"{IMPORT}/stop",
        candidates.StopCandidateImport.as_view(),
        name="api-stop-candidate-import",
    ),
    path(f"{STUDY}/cost", stages.Cost.as_view(), name="api-cost"),
    path(f"{STUDY}/signed-links", invitations.SignedLinksView.as_view(), name="api-signed-links"),
    path(f"{STUDY}/joining", invitations.JoiningRules.as_view(), name="api-joining"),
    path(f"{STUDY}/stages", stages.Stages.as_view(), name="api-stages"),
    path(STAGE, stages.OneStage.as_view(), name="api-stage"),
    path(f"{STAGE}/plan", stages.StagePlanView.as_view(), name="api-plan"),
    path(f"{STAGE}/open", stages.OpenStage.as_view(), name="api-open-stage"),
    path(f"{STAGE}/close", stages.CloseStage.as_view(), name="api-close-stage"),
    path(f"{STAGE}/pause", stages.PauseStage.as_view(), name="api-pause-stage"),
    path(f"{STAGE}/resume", stages.ResumeStage.as_view(), name="api-resume-stage"),
    path(f"{STAGE}/top-up", stages.TopUp.as_view(), name="api-top-up"),
    path(f"{STAGE}/sampling", sampling.Sampling.as_view(), name="api-sampling"),
    path(
        f"{STAGE}/sampling/continue",
        sampling.ContinueSampling.as_view(),
        name="api-continue-sampling",
    ),
    path(f"{STAGE}/results", crowd_files.CrowdResults.as_view(), name="api-crowd-results"),
    path(f"{STUDY}/assignments", stages.Assignments.as_view(), name="api-assignments"),
    path(f"{STUDY}/ratings", stages.StudyRatingsView.as_view(), name="api-study-ratings"),
    path(f"{STUDY}/choices.jsonl", choices.StudyChoicesView.as_view(), name="api-study-choices"),
    path(f"{STUDY}/agreement", agreement.AgreementView.as_view(), name="api-agreement"),
    path(f"{STUDY}/ledger", quality.LedgerSteps.as_view(), name="api-ledger"),
    path(f"{STEP}/undo", quality.UndoStep.as_view(), name="api-undo-step"),
    path(f"{STEP}/redo", quality.RedoStep.as_view(), name="api-redo-step"),
    path(f"{STUDY}/workers", quality.Workers.as_view(), name="api-workers"),
    path(WORKER, quality.OneWorker.as_view(), name="api-worker"),
    path(f"{WORKER}/exclude", quality.ExcludeWorkerView.as_view(), name="api-exclude-worker"),
    path(f"{WORKER}/readmit", quality.ReadmitWorker.as_view(), name="api-readmit-worker"),
    path(f"{WORKER}/erase", privacy.EraseWorker.as_view(), name="api-erase-worker"),
    path(f"{STUDY}/retention", privacy.Retention.as_view(), name="api-retention"),
    path(f"{STUDY}/spot-checks", checks.SpotChecks.as_view(), name="api-spot-checks"),
    path(
        f"{STUDY}/spot-checks/<int:rating>", checks.SpotCheckVerdict.as_view(), name="api-verdict"
    ),
    path(f"{STUDY}/adjudication", checks.RaterDisagreementsView.as_view(), name="api-adjudication"),
    path(
        f"{STUDY}/adjudication/<int:candidate>",
        checks.CandidateAdjudication.as_view(),
        name="api-settlement",
    ),
    path(f"{STUDY}/messages", checks.Messages.as_view(), name="api-messages"),
    path(f"{STUDY}/messages/<int:message>", checks.AnswerMessage.as_view(), name="api-message"),
    path("crowds", crowds.Providers.as_view(), name="api-crowds"),
    path(f"{STUDY}/draft", crowds.Draft.as_view(), name="api-draft"),
    path(f"{STUDY}/draft/publish", crowds.PublishView.as_view(), name="api-publish-draft"),
    path(f"{STUDY}/draft/<str:provider>", crowds.NewDraftAt.as_view(), name="api-new-draft"),
    path(f"{STUDY}/publications", crowds.Publications.as_view(), name="api-publications"),
    path(CROWD, crowds.OnePublication.as_view(), name="api-publication"),
    path(f"{CROWD}/sync", crowds.Sync.as_view(), name="api-sync"),
    path(f"{CROWD}/retry", crowds.RetryCalls.as_view(), name="api-retry-calls"),
    path(f"{CROWD}/end", crowds.End.as_view(), name="api-end"),
    path(f"{CROWD}/budget", crowds.ChangeBudget.as_view(), name="api-budget"),
    path(f"{CROWD}/missing-raters", crowds.MissingRatersView.as_view(), name="api-missing-raters"),
    path(
        f"{CROWD}/submissions", review.CrowdSubmissionsView.as_view(), name="api-crowd-submissions"
    ),
    path(f"{CROWD}/approve", review.ApproveByRule.as_view(), name="api-approve-by-rule"),
    path(f"{CROWD}/payments", review.Payments.as_view(), name="api-payments"),
    path(
        f"{CROWD}/payments/refresh",
        crowd_files.RefreshPayments.as_view(),
        name="api-refresh-payments",
    ),
    path(f"{CROWD}/decisions.csv", crowd_files.PanelDecisions.as_view(), name="api-decisions"),
    path(SUBMITTED, review.CrowdSubmissionView.as_view(), name="api-crowd-submission"),
    path(f"{SUBMITTED}/approve", review.Approve.as_view(), name="api-approve"),
    path(f"{SUBMITTED}/reject", review.Reject.as_view(), name="api-reject"),
    path(f"{SUBMITTED}/bonus", review.GiveBonus.as_view(), name="api-bonus"),
    path(f"{STUDY}/history", history.StudyHistory.as_view(), name="api-study-history"),
]
