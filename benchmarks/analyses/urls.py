"""URLs of comparisons and the evaluation plane."""

from django.urls import path

from benchmarks.analyses.views import comparison, plane

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}comparison/", comparison.comparison, name="comparison"),
    path(f"{SET}comparison/compute", comparison.compute_analysis, name="compute-comparison"),
    path(
        f"{SET}comparison/<slug:name>.<slug:extension>",
        comparison.comparison_file,
        name="comparison-file",
    ),
    path(f"{SET}plane/", plane.plane, name="plane"),
    path(f"{SET}plane/compute", plane.compute_plane, name="compute-plane"),
    path(f"{SET}plane/plane.<slug:extension>", plane.plane_file, name="plane-file"),
]
