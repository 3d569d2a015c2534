"""URLs of the API of judgment sets, relative to /api/v1/."""

from django.urls import URLPattern, path

from benchmarks.analyses import api as analyses
from benchmarks.boards.api import boards
from benchmarks.checkpoints import api as checkpoints
from benchmarks.errors.api import candidates
from benchmarks.exports import api as downloads
from benchmarks.freezing import api as freezing
from benchmarks.imports.api import imports, sets
from benchmarks.judging import api as judging
from benchmarks.runs.api import runs
from benchmarks.sets.api import paths
from benchmarks.submissions import api as submissions

# Imported for its descriptions of path parameters.
DECLARED = (paths,)
SET = "sets/<str:ref>"
RUN = f"{SET}/runs/<int:run>"
ANALYSIS = f"{SET}/analyses/<int:analysis>"
SUBMISSION = f"{SET}/submissions/<int:submission>"
MODEL_JUDGE = f"{SET}/model-judges/<int:model_judge>"

urlpatterns: list[URLPattern] = [
    path("studies/<str:slug>/freeze", freezing.FreezeStudy.as_view(), name="api-freeze"),
    path(
        "studies/<str:slug>/freezings/<int:freezing_id>",
        freezing.StudyFreezing.as_view(),
        name="api-freezing",
    ),
    path("sets", sets.Sets.as_view(), name="api-sets"),
    path("imports/<int:set_import>", imports.Import.as_view(), name="api-import"),
    path("checkpoints", checkpoints.Checkpoints.as_view(), name="api-checkpoints"),
    path(
        "checkpoints/<str:checkpoint>", checkpoints.OneCheckpoint.as_view(), name="api-checkpoint"
    ),
    path(SET, sets.Set.as_view(), name="api-set"),
    path(f"{SET}/versions", sets.Versions.as_view(), name="api-versions"),
    *downloads.urlpatterns,
    path(f"{SET}/items.jsonl", submissions.SubmissionItemsView.as_view(), name="api-items"),
    path(f"{SET}/candidates", candidates.SetCandidatesView.as_view(), name="api-candidates"),
    path("metrics", runs.Metrics.as_view(), name="api-metrics"),
    path(f"{SET}/runs", runs.Runs.as_view(), name="api-runs"),
    path(RUN, runs.Run.as_view(), name="api-run"),
    path(f"{RUN}/stop", runs.StopRun.as_view(), name="api-stop-run"),
    path(f"{SET}/leaderboard", boards.LeaderboardView.as_view(), name="api-leaderboard"),
    path(f"{SET}/findings", boards.FindingsView.as_view(), name="api-findings"),
    path(f"{SET}/choices", boards.SystemChoicesView.as_view(), name="api-choices"),
    path(f"{SET}/systems", boards.Systems.as_view(), name="api-systems"),
    path(f"{SET}/analyses", analyses.Analyses.as_view(), name="api-analyses"),
    path(ANALYSIS, analyses.OneAnalysis.as_view(), name="api-analysis"),
    path(f"{SET}/model-judges", judging.ModelJudgesView.as_view(), name="api-model-judges"),
    path(MODEL_JUDGE, judging.OneModelJudge.as_view(), name="api-model-judge"),
    path(f"{MODEL_JUDGE}/confirm", judging.ConfirmJudge.as_view(), name="api-confirm-model-judge"),
    path(f"{SET}/submissions", submissions.SubmissionsView.as_view(), name="api-submissions"),
    path(SUBMISSION, submissions.SubmissionView.as_view(), name="api-submission"),
]
