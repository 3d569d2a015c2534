"""Addresses of a study's candidates and history, below a study's own."""

from django.urls import path, re_path

from annotation.studies.views import candidates, history

STUDY = "<str:slug>/"

urlpatterns = [
    path(f"{STUDY}candidates/", candidates.candidates, name="study-candidates"),
    path(f"{STUDY}candidates/upload", candidates.upload, name="study-upload-file"),
    path(f"{STUDY}candidates/uploads/<int:pk>/", candidates.upload_detail, name="study-upload"),
    path(
        f"{STUDY}candidates/uploads/<int:pk>/take",
        candidates.import_upload,
        name="study-import-upload",
    ),
    path(
        f"{STUDY}candidates/imports/<int:pk>/",
        candidates.candidate_import,
        name="study-candidate-import",
    ),
    path(
        f"{STUDY}candidates/imports/<int:pk>/stop",
        candidates.stop_candidate_import,
        name="study-stop-candidate-import",
    ),
    path(
        f"{STUDY}candidates/files/<int:pk>/take-out",
        candidates.take_out_import,
        name="study-take-out-import",
    ),
    path(
        f"{STUDY}candidates/uploads/<int:pk>/discard",
        candidates.discard_upload,
        name="study-discard-upload",
    ),
    path(f"{STUDY}candidates/pairs", candidates.write_pair, name="study-write-pair"),
    path(f"{STUDY}history/", history.study_history, name="study-history"),
    re_path(
        r"^(?P<slug>[^/]+)/history\.(?P<extension>csv|jsonl)$",
        history.study_history_file,
        name="study-history-file",
    ),
]
