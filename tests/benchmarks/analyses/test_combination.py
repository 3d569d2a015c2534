"""The page and the analysis of a combination of metrics."""

from __future__ import annotations

import numpy as np
import pytest
from django.urls import reverse

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.sets.services import frames
from core.refusals import RefusedError
from scorers.out_of_fold import combine_out_of_fold
from tests.benchmarks.factories import make_set, published, score_here


def test_all_metrics_and_the_best_are_chosen_on_other_passages(tmp_path, db, client):
    judged = published(make_set(tmp_path, instances=60, systems=("a", "b")))
    score_here(judged, "token-f1,rouge-l,exact-match")
    analysis = analyses.request_analysis("combination", judged, {"draws": 200})
    tasks.compute_analysis(analysis.pk)
    analysis.refresh_from_db()
    result = analysis.result
    runs = {run.pk: run for run in complete_board_runs(judged)}
    scores = np.column_stack([runs[r["run"]].score_array[:120] for r in result["metrics"]])
    gold, clusters = frames.frame(judged).gold, frames.frame(judged).clusters
    expected = combine_out_of_fold(scores, gold, clusters)
    r = np.corrcoef(expected.predictions, gold)[0, 1]
    assert result["combination"]["value"] == pytest.approx(r)
    difference = r - np.corrcoef(expected.single, gold)[0, 1]
    assert result["difference"]["value"] == pytest.approx(difference)
    assert result["difference"]["ci"][0] <= difference <= result["difference"]["ci"][1]
    assert sum(row["chosen"] for row in result["metrics"]) == result["folds"] == 10
    assert len(result["metrics"]) + len(result["left_out"]) == 3

    client_page = client.get(
        reverse("combination", args=[str(judged)]), follow=True
    ).content.decode()
    assert "Are all metrics together better" in client_page


@pytest.mark.parametrize(
    ("instances", "metrics", "reason"),
    [(10, "token-f1,rouge-l", "10 passages are judged"), (40, "token-f1", "2 or more")],
)
def test_little_data_is_refused(tmp_path, db, instances, metrics, reason):
    judgment_set = make_set(tmp_path, "few", instances=instances, systems=("a",))
    score_here(judgment_set, metrics)
    try:
        analysis = analyses.request_analysis("combination", judgment_set, {})
    except RefusedError as error:
        assert reason in str(error)
        return
    tasks.compute_analysis(analysis.pk)
    analysis.refresh_from_db()
    assert reason in analysis.reason
