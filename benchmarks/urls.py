"""Addresses of judgment sets, their runs and boards. REF is NAME or NAME@VERSION."""

from django.urls import URLPattern, path, re_path

from benchmarks.analyses.views import comparison, plane
from benchmarks.boards.views import boards, pairs, run_detail, sets
from benchmarks.correctness.views import correctness
from benchmarks.errors.views import candidates, errors, new_study
from benchmarks.exports import views as downloads
from benchmarks.freezing import views as freezing
from benchmarks.imports import views as imports
from benchmarks.runs import views as runs
from benchmarks.sets.views import history, membership
from benchmarks.submissions import views as submissions
from benchmarks.trainings import views as trainings
from benchmarks.tryouts import views as tryouts
from benchmarks.views import events
from core.pages import views as site

SET = "sets/<str:ref>/"

urlpatterns: list[URLPattern] = [
    path("", sets.judgment_sets, name="judgment-sets"),
    path("healthz", site.healthz, name="healthz"),
    path("try/", tryouts.try_page, name="try"),
    path("try/<int:pk>/", tryouts.tryout, name="tryout"),
    path("try/<int:pk>/events", tryouts.tryout_events, name="tryout-events"),
    path("learned/", trainings.learned_metrics, name="learned-metrics"),
    path("learned/train/<slug:kind>/", trainings.new_training, name="new-training"),
    path("learned/train/<slug:kind>/start", trainings.start_training, name="start-training"),
    path("learned/trainings/<int:pk>/", trainings.training_page, name="training"),
    path("learned/trainings/<int:pk>/events", events.training_events, name="training-events"),
    path("learned/trainings/<int:pk>/change", trainings.change_training, name="change-training"),
    path("learned/import", trainings.import_checkpoint, name="import-checkpoint"),
    path("learned/checkpoints/<str:name>/", trainings.checkpoint_page, name="checkpoint"),
    path(
        "learned/checkpoints/<str:name>.zip", trainings.export_checkpoint, name="export-checkpoint"
    ),
    path("imports/", imports.set_imports, name="set-imports"),
    path("imports/<int:pk>/", imports.set_import, name="set-import"),
    path("imports/<int:pk>/events", events.import_events, name="set-import-events"),
    path("imports/<int:pk>/stop", imports.stop_import, name="stop-set-import"),
    path(SET, sets.judgment_set, name="judgment-set"),
    path(f"{SET}members/", membership.set_members, name="set-members"),
    path(f"{SET}publishing/", membership.set_publishing, name="set-publishing"),
    path(f"{SET}history/", history.set_history, name="set-history"),
    re_path(
        r"^sets/(?P<ref>[^/]+)/history\.(?P<extension>csv|jsonl)$",
        history.set_history_file,
        name="set-history-file",
    ),
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
    path(f"{SET}correctness/", correctness.correctness_page, name="correctness"),
    path(f"{SET}correctness.csv", correctness.correctness_csv, name="correctness-csv"),
    path(f"{SET}correctness.json", correctness.correctness_json, name="correctness-json"),
    path(
        f"{SET}correctness/<slug:name>.<slug:extension>",
        correctness.correctness_curve,
        name="correctness-curve",
    ),
    path(f"{SET}systems/", boards.system_board, name="system-board"),
    path(f"{SET}runs/", runs.metric_runs, name="metric-runs"),
    path(f"{SET}runs/events", events.run_events, name="run-events"),
    path(f"{SET}analyses/<int:pk>/events", events.analysis_events, name="analysis-events"),
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
    path(f"{SET}errors/", errors.disagreements, name="errors"),
    path(f"{SET}errors/tag", errors.tag, name="tag-error"),
    path(f"{SET}study", new_study.study_from_set, name="study-from-set"),
    path(f"{SET}rank-pairs/", errors.pairs_far_apart, name="rank-pairs"),
    path(f"{SET}rank-pairs.<slug:extension>", errors.rank_pairs_file, name="rank-pairs-file"),
    path(f"{SET}pairs/", pairs.minimal_pairs, name="minimal-pairs"),
    path(f"{SET}candidates/<path:key>/", candidates.candidate, name="candidate"),
    path(f"{SET}scores.xlsx", downloads.scores_xlsx, name="scores-xlsx"),
    path(f"{SET}scores.csv", downloads.scores_csv, name="scores-csv"),
    path(f"{SET}ratings.csv", downloads.ratings_csv, name="ratings-csv"),
    path(f"{SET}judgments.jsonl", downloads.judgments_jsonl, name="judgments-jsonl"),
    path(f"{SET}labels.tsv", downloads.labels_tsv, name="labels-tsv"),
    path(f"{SET}pairs.jsonl", downloads.pairs_jsonl, name="pairs-jsonl"),
]
