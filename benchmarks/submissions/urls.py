"""URLs of submissions."""

from django.urls import path

from benchmarks.submissions import views as submissions

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}submissions/", submissions.submission_page, name="submissions"),
    path(f"{SET}submissions/submit", submissions.submit, name="submit"),
    path(f"{SET}submissions/items.jsonl", submissions.submission_items, name="submission-items"),
    path(
        f"{SET}submissions/<int:pk>/change",
        submissions.change_submission,
        name="change-submission",
    ),
    path(f"{SET}submissions/hidden-labels", submissions.hidden_labels, name="hidden-labels"),
]
