"""URLs of boards, metric runs and minimal pairs."""

from django.urls import path, re_path

from benchmarks.boards.views import (
    across,
    boards,
    criteria,
    home,
    pairs,
    run_detail,
    sets,
    side_by_side,
)

SET = "sets/<str:ref>/"

urlpatterns = [
    path("", home.home, name="judgment-sets"),
    path("metrics-by-sets/", across.across_sets, name="across-sets"),
    re_path(r"^metrics-by-sets\.(?P<extension>csv|tex)$", across.across_file, name="across-file"),
    path(SET, sets.judgment_set, name="judgment-set"),
    path(f"{SET}files/", sets.set_files, name="set-files"),
    path(f"{SET}report.html", sets.report_html, name="set-report"),
    path(f"{SET}leaderboard/", boards.leaderboard, name="leaderboard"),
    path(f"{SET}leaderboard.csv", boards.leaderboard_csv, name="leaderboard-csv"),
    path(f"{SET}leaderboard.json", boards.leaderboard_json, name="leaderboard-json"),
    path(f"{SET}criteria/", criteria.metrics_by_criteria, name="criteria"),
    path(f"{SET}criteria.csv", criteria.criteria_csv, name="criteria-csv"),
    path(f"{SET}criteria.tex", criteria.criteria_tex, name="criteria-tex"),
    path(f"{SET}side-by-side/", side_by_side.side_by_side, name="side-by-side"),
    path(f"{SET}systems/", boards.system_board, name="system-board"),
    path(f"{SET}runs/<int:pk>/", run_detail.metric_run, name="metric-run"),
    path(f"{SET}runs/<int:pk>/scatter.svg", run_detail.scatter_svg, name="scatter-svg"),
    path(f"{SET}pairs/", pairs.minimal_pairs, name="minimal-pairs"),
    path(
        f"{SET}pairs/differences.<slug:extension>",
        pairs.differences_file,
        name="pair-differences-file",
    ),
]
