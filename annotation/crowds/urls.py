"""URLs of a study's crowd pages for researchers."""

from django.urls import path

from annotation.crowds.views import review, study

CROWD = "<str:slug>/crowd/"

urlpatterns = [
    path(CROWD, study.crowd, name="study-crowd"),
    path(f"{CROWD}draft/<str:provider>", study.draft, name="study-crowd-draft"),
    path(f"{CROWD}discard", study.discard, name="study-crowd-discard"),
    path(f"{CROWD}<int:pk>/sync", study.sync, name="study-crowd-sync"),
    path(f"{CROWD}<int:pk>/try-again", study.try_again, name="study-crowd-try-again"),
    path(f"{CROWD}<int:pk>/order", study.order, name="study-crowd-order"),
    path(f"{CROWD}<int:pk>/end", study.end, name="study-crowd-end"),
    path(f"{CROWD}<int:pk>/budget", study.budget, name="study-crowd-budget"),
    path(f"{CROWD}<int:pk>/review/", review.review, name="study-crowd-review"),
    path(f"{CROWD}<int:pk>/approve", review.approve_by_rule, name="study-crowd-approve"),
    path(f"{CROWD}submissions/<int:pk>", review.decide, name="study-crowd-decide"),
    path(f"{CROWD}<int:pk>/payments/", review.payments, name="study-crowd-payments"),
    path(
        f"{CROWD}<int:pk>/payments/refresh",
        review.refresh_payments,
        name="study-crowd-refresh-payments",
    ),
    path(f"{CROWD}<int:pk>/decisions.csv", review.decisions, name="study-crowd-decisions"),
    path(f"{CROWD}file/<str:kind>", review.import_results, name="study-crowd-file"),
]
