"""URLs of a set's data and of metrics' disagreements with people."""

from django.urls import path

from benchmarks.errors.views import candidates, data, errors, new_study

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}data/", data.set_data, name="set-data"),
    path(f"{SET}errors/", errors.disagreements, name="errors"),
    path(f"{SET}study", new_study.study_from_set, name="study-from-set"),
    path(f"{SET}candidates/<path:key>/", candidates.candidate_page, name="candidate"),
]
