"""Addresses of the researchers' side of studies."""

from django.urls import path, re_path

from annotation.views.planning import planner
from annotation.views.studies import (
    candidates,
    checks,
    correspondence,
    history,
    listing,
    membership,
    overview,
    planning,
    privacy,
    quality,
    stages,
    workers,
)

STUDY = "<str:slug>/"

urlpatterns = [
    path("", listing.studies, name="studies"),
    path("new/", listing.new_study, name="study-new"),
    path(STUDY, overview.study, name="study"),
    path(f"{STUDY}members/", membership.study_members, name="study-members"),
    path(f"{STUDY}publishing/", membership.study_publishing, name="study-publishing"),
    path(f"{STUDY}public/", membership.public_study, name="study-public"),
    path(f"{STUDY}protocol/", overview.protocol, name="study-protocol"),
    path(
        f"{STUDY}protocol/<int:version>/", overview.protocol_version, name="study-protocol-version"
    ),
    path(f"{STUDY}candidates/", candidates.candidates, name="study-candidates"),
    path(f"{STUDY}candidates/upload", candidates.upload, name="study-upload-file"),
    path(f"{STUDY}candidates/uploads/<int:pk>/", candidates.upload_detail, name="study-upload"),
    path(f"{STUDY}candidates/uploads/<int:pk>/take", candidates.take_in, name="study-take-in"),
    path(
        f"{STUDY}candidates/uploads/<int:pk>/discard",
        candidates.discard_upload,
        name="study-discard-upload",
    ),
    path(f"{STUDY}candidates/pairs", candidates.write_pair, name="study-write-pair"),
    path(f"{STUDY}cost/", planning.cost, name="study-cost"),
    path(f"{STUDY}preview/", planning.preview, name="study-preview"),
    path(f"{STUDY}stages/", stages.stages, name="study-stages"),
    path(f"{STUDY}stages/<str:kind>/open", stages.open_stage, name="study-open-stage"),
    path(f"{STUDY}stages/<str:kind>/close", stages.close_stage, name="study-close-stage"),
    path(f"{STUDY}stages/<str:kind>/top-up", stages.top_up, name="study-top-up"),
    path(f"{STUDY}quality/", quality.quality, name="study-quality"),
    path(f"{STUDY}ledger/steps", quality.add_step, name="study-add-step"),
    path(f"{STUDY}ledger/offered", quality.add_offered_step, name="study-add-offered"),
    path(f"{STUDY}ledger/ratings", workers.drop_rating, name="study-drop-rating"),
    path(f"{STUDY}ledger/<int:number>/undo", quality.undo_step, name="study-undo-step"),
    path(f"{STUDY}ledger/<int:number>/redo", quality.redo_step, name="study-redo-step"),
    path(f"{STUDY}workers/<str:name>/", workers.worker, name="study-worker"),
    path(f"{STUDY}workers/<str:name>/exclude", workers.exclude, name="study-exclude-worker"),
    path(f"{STUDY}workers/<str:name>/readmit", workers.readmit, name="study-readmit-worker"),
    path(f"{STUDY}spot-checks/", checks.spot_checks, name="study-spot-checks"),
    path(f"{STUDY}spot-checks/<int:pk>", checks.give_verdict, name="study-verdict"),
    path(f"{STUDY}adjudication/", checks.adjudication, name="study-adjudication"),
    path(f"{STUDY}adjudication/<int:pk>", checks.settle, name="study-settle"),
    path(f"{STUDY}messages/", correspondence.messages, name="study-messages"),
    path(f"{STUDY}messages/<int:pk>", correspondence.answer, name="study-answer"),
    path(f"{STUDY}privacy/", privacy.privacy, name="study-privacy"),
    path(f"{STUDY}workers/<str:name>/erase", privacy.erase_worker, name="study-erase-worker"),
    path(f"{STUDY}history/", history.study_history, name="study-history"),
    re_path(
        r"^(?P<slug>[^/]+)/history\.(?P<extension>csv|jsonl)$",
        history.study_history_file,
        name="study-history-file",
    ),
    path(f"{STUDY}planner/", planner, name="study-planner"),
]
