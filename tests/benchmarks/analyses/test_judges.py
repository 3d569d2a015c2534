"""The pages on metrics in the place of raters and on fewer ratings, and their analyses."""

from __future__ import annotations

import csv
import html
import io

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.kinds import replay
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.rater_agreement import set_ratings
from benchmarks.sets.models import JudgmentSet, Rating
from benchmarks.sets.services import importing
from concord.formats import read_judgments
from concord.judges import (
    AltTestOptions,
    HumanLabels,
    alternative_annotator_test,
    grades_from_scores,
    judge_labels,
)
from core.accounts.roles import Role
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    make_set,
    published,
    score_here,
    set_default_draws,
    write_lines,
)
from tests.html import readable


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    judgment_set = make_set(tmp_path, instances=60, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l")
    return published(judgment_set)


def compute(name: str, judgment_set: JudgmentSet, **parameters: object) -> Analysis:
    analysis = analyses.request_analysis(name, judgment_set, parameters)
    tasks.compute_analysis(analysis.pk)
    analysis.refresh_from_db()
    return analysis


def test_a_metric_is_tested_as_the_library_tests_it(judged):
    result = compute("judges", judged, draws=50).result
    ratings = set_ratings(judged)
    people = HumanLabels.from_ratings(ratings)
    run = complete_board_runs(judged)[0]
    keys = list(judged.candidates.order_by("position").values_list("key", flat=True))
    scores = run.score_array[[keys.index(key) for key in people.items]]
    scale = (judged.scale_low, judged.scale_high)
    labels = judge_labels(scores, people.verdicts, people.clusters, scale).values
    expected = alternative_annotator_test(
        people, labels, AltTestOptions(epsilon=0.1, draws=50, seed=1)
    )
    (row,) = [row for row in result["metrics"] if row["run"] == run.pk]
    assert row["rho"] == pytest.approx(expected.advantage.value, abs=1e-12)
    assert row["rejected"] == sum(r.rejected for r in expected.raters.values())
    assert result["baselines"][0]["name"] == "mean of people"
    names = {row["name"] for row in result["baselines"]}
    assert names > {"length of the answer", "random", "marginal"}


def test_no_raters_name_is_in_the_result(judged):
    result = str(compute("judges", judged, draws=20).result)
    for name in set_ratings(judged).rater_names:
        assert f"'{name}'" not in result


def test_grades_are_predicted_from_other_passages():
    rng = np.random.default_rng(1)
    gold, clusters = rng.uniform(1, 5, 200), np.repeat(np.arange(50), 4)
    noise = grades_from_scores(rng.normal(size=200), gold, clusters, (1, 5))
    assert abs(np.corrcoef(noise, gold)[0, 1]) < 0.25
    exact = grades_from_scores(3 - 2 * gold, gold, clusters, (1, 5))
    np.testing.assert_allclose(exact, gold, atol=1e-9)
    constant = grades_from_scores(np.zeros(200), gold, clusters)
    assert len(np.unique(constant.round(9))) == 10
    fold = np.unique(clusters, return_inverse=True)[1] % 10
    assert constant[0] == pytest.approx(gold[fold != fold[0]].mean())
    missing = grades_from_scores(np.where(np.arange(200) == 7, np.nan, gold), gold, clusters)
    assert np.isnan(missing).sum() == 1


def test_a_page_says_in_words_whether_a_metric_may_stand_in(tmp_path, db, client):
    """Of two raters of all candidates, who differ at random, and a metric that guesses."""
    rng, lines = np.random.default_rng(2), candidate_lines(60, ("a", "b", "c"))
    for line in lines:
        line["score"] = 3.0
        line["ratings"] = [
            {"worker": f"w{k}", "value": 3 + sign * int(rng.integers(0, 3)), "group": "crowd"}
            for k, sign in enumerate((-1, 1))
        ]
    path = write_lines(tmp_path / "two.jsonl", lines)
    two = importing.import_judgments("two", read_judgments([path], "concord"), at=now())
    score_here(published(two), "token-f1")
    page = readable(client.get(reverse("judges", args=[str(two)])))
    assert "may stand in for a rater here" in page or "is shown to stand in" in page
    assert "cannot be tested" not in page and "not tested" not in page
    for text in ("token-f1", "mean of people", "random", "marginal", "Replaceable raters"):
        assert text in page


def test_a_page_of_few_ratings_says_that_nothing_can_be_tested(judged, client):
    """Each rater rated six candidates; 30 are needed."""
    result = compute("judges", judged, raters="crowd").result
    for row in (*result["metrics"], *result["baselines"]):
        assert row["by_document"]["passed"] is None and row["beats_baselines"] is None
    page = readable(client.get(reverse("judges", args=[str(judged)])))
    assert "cannot be tested here" in page
    assert "the rater with most has 6, so 24 more are needed" in html.unescape(page)
    assert "not tested" in page
    for text in ("0 of 0", "No metric", "<td>no</td>"):
        assert text not in page, text


def test_opening_a_page_starts_a_short_analysis(judged, client, monkeypatch):
    client.force_login(User.objects.create_user("reader"))
    sent = []
    monkeypatch.setattr(tasks.compute_analysis, "delay", sent.append)
    monkeypatch.setattr(analyses, "MAX_SECONDS_IN_PAGE", 0.0)
    Client().get(reverse("judges", args=[str(judged)]))
    assert not Analysis.objects.exists(), "there are any number of visitors"
    page = client.get(reverse("judges", args=[str(judged)])).content.decode()
    analysis = Analysis.objects.get(kind="judges")
    assert analysis.status == "queued"
    assert "Being computed" in page


def test_replay_has_a_row_for_each_size(judged):
    result = compute("replay", judged, draws=20).result
    assert [row["passages"] for row in result["rows"]] == [3, 6, 12, 24]
    assert result["systems"] == ["a", "b", "c"]
    assert result["n"] == 180
    best = max(
        complete_board_runs(judged),
        key=lambda run: np.corrcoef(run.score_array[:180], _gold(judged))[0, 1],
    )
    assert result["metric"]["run"] == best.pk


@pytest.mark.parametrize("target", ["ranking", "20"])
def test_a_replay_by_a_rule_collects_until_the_target(judged, client, target, monkeypatch):
    set_default_draws(monkeypatch, "replay", 4)
    analysis = compute("replay", judged, rule="stratified", target=target)
    collection = analysis.result["collection"]
    assert [row["rule"] for row in collection["rows"]] == ["plain mean", "uniform", "stratified"]
    assert collection["rows"][0]["saving"] == 1.0
    low, high = judged.scale_low, judged.scale_high
    value = 0.05 if target == "ranking" else 0.2 * (high - low)
    assert collection["target"]["value"] == pytest.approx(value)
    assert all(row["units"] <= collection["units"] for row in collection["rows"])
    url = reverse("fewer-ratings", args=[str(judged)])
    page = client.get(url, {"rule": "stratified", "target": target}).content.decode()
    assert "Plain mean takes" in page and "plain mean</th>" in page


def _gold(judgment_set: JudgmentSet) -> np.ndarray:
    return np.array(judgment_set.candidates.order_by("position").values_list("gold", flat=True))


def test_the_page_of_fewer_ratings_shows_the_chosen_metric(judged, client):
    run = complete_board_runs(judged)[1]
    compute("replay", judged, run=run.pk)
    page = client.get(reverse("fewer-ratings", args=[str(judged)]), {"run": run.pk})
    assert f"With <strong>{run.metric}</strong>" in page.content.decode()
    assert "<svg" in page.content.decode()


def test_the_plot_of_widths_ends_at_the_scale(judged, client):
    plot = replay._plot([(2, 16.65, 16.65), (4, 1.0, 2.0)], 4.0)
    assert plot.frame.y_ticks[-1].label == "4"
    assert plot.points[0].title == "2 passages: 16.65, plain mean 16.65"
    rows = compute("replay", judged).result["rows"]
    for extension, kind in (("svg", "image/svg+xml"), ("png", "image/png")):
        url = reverse("fewer-ratings-file", args=[str(judged), extension])
        assert client.get(url)["Content-Type"] == kind
    text = client.get(reverse("fewer-ratings-file", args=[str(judged), "csv"])).content.decode()
    points = list(csv.DictReader(io.StringIO(text)))
    assert [int(row["passages"]) for row in points] == [row["passages"] for row in rows]


def test_a_set_of_gold_scores_only_has_no_judges(tmp_path, db, client):
    judgment_set = make_set(tmp_path, "gold", instances=40)
    Rating.objects.filter(candidate__judgment_set=judgment_set).delete()
    score_here(judgment_set, "token-f1")
    analysis = compute("judges", judgment_set)
    assert analysis.status == "refused"
    assert "needs single ratings" in analysis.reason


def test_a_small_set_cannot_be_replayed(tmp_path, db):
    judgment_set = make_set(tmp_path, "small", instances=8)
    score_here(judgment_set, "token-f1")
    analysis = compute("replay", judgment_set)
    assert analysis.status == "refused"
    assert "8 passages are rated; a replay needs 30 or more" in analysis.reason


@pytest.mark.parametrize(
    ("page", "query"), [("judges", "raters=nobody"), ("judges", "epsilon=9"),
                        ("fewer-ratings", "run=999"), ("fewer-ratings", "run=x"),
                        ("fewer-ratings", "rule=best"), ("fewer-ratings", "target=1")],
)  # fmt: skip
def test_an_unknown_choice_is_refused(judged, client, page, query):
    assert client.get(f"{reverse(page, args=[str(judged)])}?{query}").status_code == 400


def test_editors_start_and_stop_it(judged, client):
    editor = User.objects.create_user("editor")
    add_member(judged.name, editor, Role.EDITOR)
    client.force_login(editor)
    url = reverse("compute-fewer-ratings", args=[str(judged)])
    response = client.post(url, {"run": "0"}, follow=True)
    assert response.status_code == 200
    assert Analysis.objects.get(kind="replay").status in ("queued", "complete")
    client.post(url, {"run": "0", "stop": "1"})
    client.post(reverse("compute-judges", args=[str(judged)]), {"epsilon": "0.2"})
    assert Analysis.objects.get(kind="judges").parameters["epsilon"] == "0.2"


@pytest.mark.parametrize("page", ["judges", "fewer-ratings"])
def test_a_set_without_scored_metrics_says_so(tmp_path, db, client, page):
    judgment_set = make_set(tmp_path, "unscored", instances=40)
    response = client.get(reverse(page, args=[str(judgment_set)]))
    assert response.status_code == 200
    assert "1 or more scored metrics; the set has 0" in response.content.decode()
