"""URLs of quality control, below a study's own."""

from django.urls import path, re_path

from annotation.quality.views import checks, data, messages, quality, workers

STUDY = "<str:slug>/"

urlpatterns = [
    path(f"{STUDY}quality/", quality.quality, name="study-quality"),
    path(f"{STUDY}data/", data.data, name="study-data"),
    re_path(
        r"^(?P<slug>[^/]+)/ratings\.(?P<extension>csv|jsonl)$",
        data.ratings_file,
        name="study-ratings-file",
    ),
    path(f"{STUDY}choices.jsonl", data.choices_file, name="study-choices-file"),
    path(f"{STUDY}ledger/steps", quality.add_step, name="study-add-step"),
    path(f"{STUDY}ledger/offered", quality.add_suggested_step, name="study-add-suggested"),
    path(f"{STUDY}ledger/ratings", workers.drop_rating, name="study-drop-rating"),
    path(f"{STUDY}ledger/<int:number>/undo", quality.undo_step, name="study-undo-step"),
    path(f"{STUDY}ledger/<int:number>/redo", quality.redo_step, name="study-redo-step"),
    path(
        f"{STUDY}ledger/simulated-workers",
        workers.exclude_simulated,
        name="study-exclude-simulated",
    ),
    path(f"{STUDY}workers/<str:name>/", workers.worker, name="study-worker"),
    path(f"{STUDY}workers/<str:name>/exclude", workers.exclude, name="study-exclude-worker"),
    path(f"{STUDY}workers/<str:name>/readmit", workers.readmit, name="study-readmit-worker"),
    path(f"{STUDY}spot-checks/", checks.spot_checks, name="study-spot-checks"),
    path(f"{STUDY}spot-checks/<int:pk>", checks.give_verdict, name="study-verdict"),
    path(f"{STUDY}adjudication/", checks.adjudication, name="study-adjudication"),
    path(f"{STUDY}adjudication/<int:pk>", checks.adjudicate, name="study-settle"),
    path(f"{STUDY}messages/", messages.messages, name="study-messages"),
    path(f"{STUDY}messages/<int:pk>", messages.answer, name="study-answer"),
]
