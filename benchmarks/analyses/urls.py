"""URLs of comparisons, judges and the evaluation plane."""

from django.urls import path

from benchmarks.analyses.views import (
    combination,
    comparison,
    estimate,
    judge,
    judges,
    plan,
    plane,
    sentinels,
)

SET = "sets/<str:ref>/"

urlpatterns = [
    path(f"{SET}comparison/", comparison.comparison, name="comparison"),
    path(f"{SET}comparison/compute", comparison.compute_analysis, name="compute-comparison"),
    path(
        f"{SET}comparison/<slug:name>.<slug:extension>",
        comparison.comparison_file,
        name="comparison-file",
    ),
    path(f"{SET}judges/", judges.judges, name="judges"),
    path(f"{SET}judges/compute", judges.compute_judges, name="compute-judges"),
    path(
        f"{SET}judges/compute-sentinels",
        judges.compute_sentinel_judges,
        name="compute-sentinel-judges",
    ),
    path(f"{SET}judges/<int:pk>/", judge.judge, name="judge"),
    path(f"{SET}judges/<int:pk>/compute", judge.compute_judge, name="compute-judge"),
    path(f"{SET}fewer-ratings/", judges.fewer_ratings, name="fewer-ratings"),
    path(f"{SET}fewer-ratings/compute", judges.compute_fewer_ratings, name="compute-fewer-ratings"),
    path(f"{SET}plan/", plan.plan, name="rating-plan"),
    path(f"{SET}plan/compute", plan.compute_plan, name="compute-rating-plan"),
    path(f"{SET}sentinels/", sentinels.sentinels, name="sentinels"),
    path(f"{SET}sentinels/compute", sentinels.compute_sentinels, name="compute-sentinels"),
    path(f"{SET}combination/", combination.combination, name="combination"),
    path(f"{SET}combination/compute", combination.compute_combination, name="compute-combination"),
    path(f"{SET}estimate/", estimate.estimate, name="estimate"),
    path(f"{SET}estimate/compute", estimate.compute_estimate, name="compute-estimate"),
    path(f"{SET}plane/", plane.plane, name="plane"),
    path(f"{SET}plane/compute", plane.compute_plane, name="compute-plane"),
    path(f"{SET}plane/plane.<slug:extension>", plane.plane_file, name="plane-file"),
]
