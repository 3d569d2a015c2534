"""The page and the analysis of sentinels."""

from __future__ import annotations

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.kinds import sentinels
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from tests.benchmarks.factories import make_set, published, score_here


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    judgment_set = make_set(tmp_path, instances=40, systems=("a", "b"))
    score_here(judgment_set, "token-f1,rouge-l")
    return published(judgment_set)


def test_sentinels_are_computed_by_workers_with_models(
    judged, client, monkeypatch, django_capture_on_commit_callbacks
):
    client.force_login(User.objects.create_user("reader"))
    sent = []
    monkeypatch.setattr(tasks.compute_with_models, "delay", sent.append)
    monkeypatch.setattr(tasks.compute_analysis, "delay", tasks.compute_analysis)
    url = reverse("sentinels", args=[str(judged)])
    with django_capture_on_commit_callbacks(execute=True):
        section = client.get(url, headers={"HX-Request": "true"})  # without the page around it
        assert "Being computed" in section.content.decode()
    analysis = judged.analyses.get(kind="sentinels")
    assert sent == [analysis.pk] and analysis.status == "queued"

    tasks.compute_with_models(analysis.pk)
    analysis.refresh_from_db()
    result = analysis.result
    assert [row["name"] for row in result["sentinels"]] == [*sentinels.NAMES, "sentinel-constant"]
    assert (result["n"], result["judged"], result["passages"]) == (80, 80, 40)
    gold = np.array(judged.candidates.order_by("position").values_list("gold", flat=True))
    for run, row in zip(complete_board_runs(judged), result["metrics"], strict=True):
        r = np.corrcoef(run.score_array[:80], gold)[0, 1]
        assert row["figure"]["value"] == pytest.approx(r)
        best = max(each["figure"]["value"] or -1 for each in result["sentinels"])
        assert row["difference"] == pytest.approx(r - best)
        if row["difference_ci"] is None:  # the same in all resamples
            assert row["difference"] == pytest.approx(0) and row["beats_sentinels"] is False
        else:
            assert row["beats_sentinels"] == (row["difference_ci"][0] > 0)

    page = client.get(url, follow=True).content.decode()
    for name in (*sentinels.NAMES, "sentinel-constant", "token-f1"):
        assert name in page
    board = client.get(reverse("leaderboard", args=[str(judged)])).content.decode()
    marked = sum(not row["beats_sentinels"] for row in result["metrics"])
    assert board.count("no better than a sentinel") == marked


def test_the_board_marks_what_no_sentinel_loses_to(judged, client):
    runs = complete_board_runs(judged)
    analysis = analyses.request_analysis("sentinels", judged, {})
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    analysis.result["metrics"][0]["beats_sentinels"] = False
    analysis.result["metrics"][1]["beats_sentinels"] = True
    analysis.save()
    board = client.get(reverse("leaderboard", args=[str(judged)])).content.decode()
    rows = {run.metric: board.split(f">{run.metric}</a>")[1].split("</tr>")[0] for run in runs}
    assert ["no better" in rows[run.metric] for run in runs] == [True, False]
    hidden.hide(judged, "", at=now())
    board = client.get(reverse("leaderboard", args=[str(judged)])).content.decode()
    assert "no better" not in board


def test_of_a_large_set_whole_passages_are_drawn(monkeypatch):
    monkeypatch.setattr(sentinels, "MAX_CANDIDATES", 30)
    clusters = np.repeat(np.arange(20), 5)
    drawn = sentinels.draw_passages(np.arange(100), clusters, np.random.default_rng(1))
    assert len(drawn) == 30 and (np.diff(drawn) > 0).all()
    assert all(np.count_nonzero(clusters[drawn] == c) in (0, 5) for c in range(20))


def test_few_passages_are_refused(tmp_path, db):
    judgment_set = make_set(tmp_path, "few", instances=9, systems=("a",))
    score_here(judgment_set, "token-f1")
    analysis = analyses.request_analysis("sentinels", judgment_set, {})
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.reason.startswith("9 passages are judged") and "need 10" in analysis.reason
