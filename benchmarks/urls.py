"""Addresses of judgment sets, their runs and boards. REF is NAME or NAME@VERSION."""

from django.urls import URLPattern, path

from benchmarks.views import (
    boards,
    candidates,
    comparison,
    downloads,
    freezing,
    pairs,
    plane,
    run_detail,
    runs,
    sets,
    site,
    submissions,
)

SET = "sets/<str:ref>/"

urlpatterns: list[URLPattern] = [
    path("", sets.judgment_sets, name="judgment-sets"),
    path("healthz", site.healthz, name="healthz"),
    path(SET, sets.judgment_set, name="judgment-set"),
    path(f"{SET}compare/", freezing.compare_versions, name="compare-versions"),
    path("studies/<str:slug>/freeze/", freezing.freeze_study, name="study-freeze"),
    path(f"{SET}leaderboard/", boards.leaderboard, name="leaderboard"),
    path(f"{SET}leaderboard.csv", boards.leaderboard_csv, name="leaderboard-csv"),
    path(f"{SET}leaderboard.json", boards.leaderboard_json, name="leaderboard-json"),
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
    path(f"{SET}systems/", boards.system_board, name="system-board"),
    path(f"{SET}runs/", runs.metric_runs, name="metric-runs"),
    path(f"{SET}runs/start", runs.start_runs, name="start-runs"),
    path(f"{SET}runs/<int:pk>/", run_detail.metric_run, name="metric-run"),
    path(f"{SET}runs/<int:pk>/scatter.svg", run_detail.scatter_svg, name="scatter-svg"),
    path(f"{SET}runs/<int:pk>/stop", runs.stop_run, name="stop-run"),
    path(f"{SET}runs/<int:pk>/retry", runs.retry_run, name="retry-run"),
    path(f"{SET}submissions/", submissions.submission_page, name="submissions"),
    path(f"{SET}submissions/submit", submissions.submit, name="submit"),
    path(f"{SET}submissions/items.jsonl", submissions.submission_items, name="submission-items"),
    path(
        f"{SET}submissions/<int:pk>/change",
        submissions.change_submission,
        name="change-submission",
    ),
    path(f"{SET}submissions/hidden-labels", submissions.hidden_labels, name="hidden-labels"),
    path(f"{SET}pairs/", pairs.minimal_pairs, name="minimal-pairs"),
    path(f"{SET}candidates/<path:key>/", candidates.candidate, name="candidate"),
    path(f"{SET}scores.xlsx", downloads.scores_xlsx, name="scores-xlsx"),
    path(f"{SET}scores.csv", downloads.scores_csv, name="scores-csv"),
    path(f"{SET}ratings.csv", downloads.ratings_csv, name="ratings-csv"),
    path(f"{SET}judgments.jsonl", downloads.judgments_jsonl, name="judgments-jsonl"),
    path(f"{SET}pairs.jsonl", downloads.pairs_jsonl, name="pairs-jsonl"),
]
