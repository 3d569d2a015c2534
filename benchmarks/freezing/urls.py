"""URLs of freezings and of comparisons of versions."""

from django.urls import path

from benchmarks.freezing import views as freezing

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}compare/", freezing.compare_versions, name="compare-versions"),
    path(f"{SET}collect-pairs/", freezing.collect_pairs, name="collect-pairs"),
    path("studies/<str:slug>/pairs/", freezing.study_pairs, name="study-pairs"),
    path("studies/<str:slug>/freeze/", freezing.freeze_study, name="study-freeze"),
    path("studies/<str:slug>/freeze/<int:pk>/", freezing.study_freezing, name="study-freezing"),
    path(
        "studies/<str:slug>/freeze/<int:pk>/stop",
        freezing.stop_freezing,
        name="study-stop-freezing",
    ),
]
