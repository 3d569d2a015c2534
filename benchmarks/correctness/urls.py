"""URLs of metrics as judges of correctness."""

from django.urls import path

from benchmarks.correctness.views import correctness

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}correctness/", correctness.correctness_page, name="correctness"),
    path(f"{SET}correctness.csv", correctness.correctness_csv, name="correctness-csv"),
    path(f"{SET}correctness.json", correctness.correctness_json, name="correctness-json"),
    path(
        f"{SET}correctness/<slug:name>.<slug:extension>",
        correctness.correctness_curve,
        name="correctness-curve",
    ),
]
