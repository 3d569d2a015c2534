"""The analysis and the page of one judge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.timezone import now
from scipy import stats

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds import judge
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.rater_agreement import set_ratings
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet, Rating
from benchmarks.sets.services import hidden, importing
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.cli import main
from concord.formats import ReadOptions, read_judgments
from concord.judges import HumanLabels
from core.accounts.roles import Role
from tests.benchmarks.analyses.test_judges import compute
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    make_set,
    published,
    score_here,
    write_lines,
)
from tests.html import readable


@pytest.fixture
def rated(tmp_path, db) -> JudgmentSet:
    """180 candidates by three systems with two ratings each, and a metric."""
    judgment_set = make_set(tmp_path, instances=60, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1")
    return judgment_set


@pytest.fixture
def well_rated(tmp_path, db) -> JudgmentSet:
    """The same candidates, each rated by the same four raters."""
    rng = np.random.default_rng(3)
    lines = candidate_lines(60, ("a", "b", "c"))
    for line in lines:
        truth = rng.choice([1.5, 3.0, 4.5])  # which the length of the text does not give away
        values = np.clip(np.round(truth + rng.normal(0, 0.9, 4)), 1, 5)
        line["ratings"] = [
            {"worker": f"expert {k}", "value": value, "group": "experts"}
            for k, value in enumerate(values.tolist())
        ]
        line["score"] = float(values.mean())
    path = write_lines(tmp_path / "rated.jsonl", lines)
    judgments = read_judgments([path], "concord", ReadOptions())
    return published(importing.import_judgments("small", judgments, None, at=now()))


def run_of(judgment_set: JudgmentSet, name: str = "token-f1") -> MetricRun:
    (run,) = [run for run in complete_board_runs(judgment_set) if run.metric == name]
    return run


def submit_judge(
    judgment_set: JudgmentSet, folder: Path, change: Callable[..., list[Any]]
) -> MetricRun:
    """A judge whose answers about a candidate are `change(position, gold score, generator)`."""
    rng = np.random.default_rng(1)
    rows = [
        {"id": key, "score": score, "raw": f"I say {score}."}
        for position, key, gold in judgment_set.candidates.order_by("position").values_list(
            "position", "key", "gold"
        )
        for score in change(position, gold, rng)
    ]
    path = write_lines(folder / "judge.jsonl", rows)
    submissions.submit_judgments(judgment_set, SubmissionInfo("judge"), path, owner=None, at=now())
    return run_of(judgment_set, "judge")


def noisy(sd):
    """Two answers a candidate: people's score with noise, on their scale."""

    def change(position, score, rng):
        return np.clip(score + rng.normal(0, sd, 2), 1, 5).tolist()

    return change


def result_of(run: MetricRun, **parameters: object) -> dict:
    analysis = compute("judge", run.judgment_set, run=run.pk, draws=60, **parameters)
    assert analysis.status == "complete", analysis.reason
    return analysis.result


def test_the_answer_comes_first_and_every_part_is_there(well_rated, tmp_path):
    result = result_of(submit_judge(well_rated, tmp_path, noisy(0.3)))
    assert result["sentence"].startswith("Here judge may stand in for a rater on single answers")
    assert result["for_items"]["answer"] == "yes"
    assert result["for_systems"]["answer"] == "open"  # the three systems are equally good
    part = result["raters"]
    assert part["judge"]["by_document"]["passed"] and part["raters"] == 4
    assert [row["rejected"] for row in part["rater_tests"]].count(True) >= 2
    assert part["warnings"] == [] and len(part["baselines"]) == 5
    names = [row["name"] for row in result["agreement"]]
    assert names == ["Pearson's r", "Spearman's rho", "Kendall's tau-b", "Cohen's kappa",
                     "Weighted kappa (quadratic)"]  # fmt: skip
    for row in result["agreement"][3:]:
        assert row["judge"]["ci"][0] < row["judge"]["value"] < row["judge"]["ci"][1]
        assert row["rater"]["ci"][0] < row["rater"]["value"] < row["rater"]["ci"][1]
    pearson = result["agreement"][0]
    low, high = pearson["judge"]["ci"]
    assert 0.9 < low <= pearson["judge"]["value"] <= high <= 1
    assert 0.5 < pearson["rater"]["value"] < pearson["ceiling"]["value"] <= 1
    assert part["off_scale"] == ""
    calibration = result["calibration"]
    assert calibration["own"] and 5 <= len(calibration["bins"]) <= 10
    assert 0 < calibration["expected"] < 0.1 and 0 < calibration["error"] < 0.1
    matrix = np.array(result["confusion"]["counts"])
    assert matrix.sum() == 180
    assert np.trace(matrix) > 90


def test_a_set_whose_raters_rated_few_says_so(rated):
    result = result_of(run_of(rated))
    assert "a rater needs 30 items" in result["for_items"]["reason"]
    assert result["for_items"]["answer"] == "open"


def test_scores_that_are_not_on_the_raters_scale_are_named(well_rated, tmp_path):
    def change(position, score, rng):
        return [(score - 1) / 4]

    part = result_of(submit_judge(well_rated, tmp_path, change))["raters"]
    assert part["off_scale"].startswith("its own scores, from 0 to 1, are not on people's scale")


@pytest.mark.parametrize("states_scale", [True, False])
def test_a_judge_has_one_rho_in_the_table_on_its_page_and_in_the_command(
    well_rated, tmp_path, states_scale, capsys
):
    """As in a set that was imported from a table: the scale is that of the ratings."""
    if not states_scale:
        JudgmentSet.objects.filter(pk=well_rated.pk).update(scale_low=None, scale_high=None)
        well_rated.refresh_from_db()
    run = submit_judge(well_rated, tmp_path, lambda p, score, rng: [round(score)])
    part = result_of(run)["raters"]
    table = compute("judges", well_rated, draws=60).result
    (row,) = [row for row in table["metrics"] if row["run"] == run.pk]
    assert row == {**row, **part["judge"]} and part["off_scale"] == ""
    answers = [
        {"id": key, "scores": {"judge": round(score)}}
        for key, score in well_rated.candidates.values_list("key", "gold")
    ]
    file = write_lines(tmp_path / "answers.jsonl", answers)
    rated_file = str(tmp_path / "rated.jsonl")
    options = ["--graded", "--epsilon", "0.1", "--format", "json"]
    assert main(["alt-test", rated_file, str(file), *options]) == 0
    command = json.loads(capsys.readouterr().out)["judges"]["judge"]
    assert command["rho"] == pytest.approx(row["rho"])
    assert command["pearson"]["value"] == pytest.approx(row["pearson"]["value"])
    assert row["rho"] > next(b["rho"] for b in table["baselines"] if "constant" in b["name"])


def test_r_is_that_of_the_scores_of_a_judge_of_noise(well_rated, tmp_path):
    """Fitted grades of other passages move away from a passage's own mean: their r is below 0."""
    run = submit_judge(well_rated, tmp_path, lambda p, score, rng: [100 * rng.random()])
    result = result_of(run)
    people = HumanLabels.from_ratings(set_ratings(well_rated))
    positions = well_rated.candidates.values_list("key", "position")
    at = dict(positions)
    scores = run.score_array[[at[key] for key in people.items]]
    r = np.corrcoef(scores, people.verdicts)[0, 1]
    assert result["raters"]["judge"]["pearson"]["value"] == pytest.approx(r)
    assert "are not on people's scale" in result["raters"]["off_scale"]


def test_a_judge_and_raters_are_compared_on_the_same_candidates(tmp_path, db, client):
    rng = np.random.default_rng(3)
    lines = candidate_lines(60, ("a", "b", "c"))
    for number, line in enumerate(lines):
        values = rng.integers(1, 6, 2).tolist()
        line["ratings"] = [
            {"worker": f"expert {k}", "value": value, "group": "experts"}
            for k, value in enumerate(values[: 2 if number < 40 else 1])
        ]
        line["score"] = float(np.mean([one["value"] for one in line["ratings"]]))
    path = write_lines(tmp_path / "partly.jsonl", lines)
    partly = importing.import_judgments("partly", read_judgments([path], "concord"), at=now())
    score_here(published(partly), "token-f1")
    run = run_of(partly)
    result = result_of(run)
    gold = np.array([line["score"] for line in lines])
    pearson, kappa = result["agreement"][0], result["agreement"][3]
    assert (pearson["n"], pearson["rated"]) == (180, 40)
    for figure, n in (("judge", 180), ("same", 40)):
        expected = stats.pearsonr(run.score_array[:n], gold[:n]).statistic
        assert pearson[figure]["value"] == pytest.approx(expected), figure
    assert kappa["same"] is kappa["others"] is None and kappa["n"] == kappa["rated"]
    analyses.ANALYSES.perform(
        analyses.request_analysis("judge", partly, {"run": run.pk, "raters": "experts"}).pk
    )
    page = readable(client.get(reverse("judge", args=["partly", run.pk]))).replace("> <", "><")
    assert 'candidates</th><td class="num">40</td>' in page
    assert 'all raters but one</th><td class="num">40</td>' in page


@pytest.mark.parametrize(("raters", "missed"), [(2, 0), (3, 150), (5, 0)])
def test_a_judge_that_is_one_more_rater_agrees_as_one_rater_does(tmp_path, db, raters, missed):
    """With the gold of all raters it would agree as well as 1.15 raters of two."""
    lines = candidate_lines(250, ("a", "b", "c"))
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(len(lines), 1))
    values = truth + rng.normal(size=(len(lines), raters + 1))
    for line, row in zip(lines, values.tolist(), strict=True):
        line["ratings"] = [{"worker": f"w{k}", "value": row[k]} for k in range(raters)]
        line |= {"score": float(np.mean(row[:raters])), "scale": [-10, 10]}
    path = write_lines(tmp_path / "raters.jsonl", lines)
    judged = importing.import_judgments("raters", read_judgments([path], "concord"), at=now())

    def change(position, score, rng):
        return [None if position < missed else values[position, raters]]

    pearson = result_of(submit_judge(published(judged), tmp_path, change))["agreement"][0]
    people, judge = values[missed:, :raters], values[missed:, raters]
    others = [np.delete(people, k, axis=1).mean(axis=1) for k in range(raters)]
    with_others = np.mean([np.corrcoef(judge, mean)[0, 1] for mean in others])
    of_raters = [np.corrcoef(people[:, k], mean)[0, 1] for k, mean in enumerate(others)]
    assert (pearson["n"], pearson["rated"]) == (750 - missed, 750 - missed)
    assert pearson["others"]["value"] == pytest.approx(with_others)
    assert pearson["rater"]["value"] == pytest.approx(np.mean(of_raters))
    assert with_others / np.mean(of_raters) == pytest.approx(1, abs=0.08)
    low, high = pearson["others"]["ci"]
    assert low < pearson["rater"]["value"] < high


def test_a_guesser_may_not_stand_in(well_rated, tmp_path):
    def change(position, score, rng):
        return [rng.uniform(1, 5)]

    result = result_of(submit_judge(well_rated, tmp_path, change))
    assert result["for_items"]["answer"] == "no"
    assert "should not stand in for a rater" in result["sentence"]
    assert result["raters"]["verdict"] == "not human-like"
    assert result["raters"]["warnings"]
    assert all(row["corrected"]["value"] is None for row in result["rates"]["systems"])


def test_stability_is_of_the_stored_answers(rated, tmp_path):
    (stability, verbosity, own) = result_of(submit_judge(rated, tmp_path, noisy(0.3)))["probes"]
    assert stability["figure"]["ci"][0] > 0.9
    assert verbosity["name"] == "verbosity" and verbosity["figure"]["value"] is None
    assert own["figure"]["value"] is None


def test_a_metric_has_no_stability(rated):
    probes = result_of(run_of(rated))["probes"]
    assert probes[0]["verdict"] == "no candidate was judged twice"


def test_the_family_that_a_judge_favours_is_found(well_rated, tmp_path):
    def change(position, score, rng):
        return [score + rng.normal(0, 0.2) + (2.0 if position % 3 == 1 else 0.0)]

    result = result_of(submit_judge(well_rated, tmp_path, change), family="b")
    own = result["probes"][2]
    assert own["verdict"] == "favours its own family" and own["figure"]["ci"][0] > 0.5
    assert own["figure"]["value"] == pytest.approx(2, abs=0.3)


def test_rates_are_checked_where_every_candidate_is_rated(rated, tmp_path):
    def change(position, score, rng):
        return [5 - score if rng.random() < 0.15 else score]

    rates = result_of(submit_judge(rated, tmp_path, change))["rates"]
    assert rates["is_check"] and rates["threshold"] == 3
    for row in rates["systems"]:
        assert row["labelled"] == row["unlabelled"] == 30
        low, high = row["corrected"]["ci"]
        assert low <= row["truth"] <= high


def test_an_invalid_answer_is_left_out_and_counted(rated, tmp_path, client):
    def change(position, score, rng):
        return [None] if position < 9 else [score + rng.normal(0, 0.5)]

    run = submit_judge(rated, tmp_path, change)
    result = result_of(run)
    assert (result["judged"], result["unscored"]) == (180, 9)
    assert result["agreement"][0]["judge"]["value"] > 0.8
    compute("judge", rated, run=run.pk, raters="crowd", epsilon="0.1", family="")
    page = " ".join(client.get(reverse("judge", args=["small", run.pk])).content.decode().split())
    assert "9 without a score of judge, left out" in page
    assert "180 answers, 9 of them invalid" in page


def test_no_rater_is_named(rated):
    text = str(result_of(run_of(rated)))
    for name in set_ratings(rated).rater_names:
        assert f"'{name}'" not in text


def test_other_runs_do_not_make_it_another_analysis(rated):
    run = run_of(rated)
    first = compute("judge", rated, run=run.pk, draws=20)
    score_here(rated, "rouge-l")
    assert analyses.find_analysis("judge", rated, {"run": run.pk, "draws": 20}) == first


def test_a_set_with_gold_scores_only_is_judged_by_them(tmp_path, db):
    judgment_set = make_set(tmp_path, "gold", instances=40)
    Rating.objects.filter(candidate__judgment_set=judgment_set).delete()
    score_here(judgment_set, "token-f1")
    result = result_of(run_of(judgment_set))
    assert result["raters"] is None and "needs single ratings" in result["no_raters"]
    assert result["for_items"] is None and "order systems" in result["sentence"]
    assert [row["name"] for row in result["agreement"]][-1] == "Kendall's tau-b"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda position, score, rng: [None if position > 10 else score],
         "11 judged candidates have a score of judge; a judge needs 20 or more."),
    ],
)  # fmt: skip
def test_too_few_scores_are_refused(rated, tmp_path, change, message):
    analysis = compute("judge", rated, run=submit_judge(rated, tmp_path, change).pk)
    assert (analysis.status, analysis.reason) == ("refused", message)


def test_an_unknown_system_is_named(rated):
    analysis = compute("judge", rated, run=run_of(rated).pk, family="a, gpt")
    assert (analysis.status, analysis.reason) == ("refused", "The set has no system 'gpt'.")


def test_the_page_shows_the_sentence_and_all_parts(rated, client):
    run = run_of(rated)
    compute("judge", rated, run=run.pk, raters="crowd")
    page = client.get(reverse("judge", args=["small", run.pk])).content.decode()
    text = " ".join(page.split())
    for part in ("stand in for a rater", "Agreement with people", "Human ceiling", "Calibration",
                 "a perfect judge", "Share of correct answers", "Probes", "mean of people",
                 "Verbosity", "<svg"):  # fmt: skip
        assert part in text, part
    assert reverse("judge", args=["small@1", run.pk]) in (
        client.get(reverse("metric-run", args=["small", run.pk])).content.decode()
    )


def test_the_plots_of_calibration_have_files(rated, client):
    run, ref = run_of(rated), str(rated)
    compute("judge", rated, run=run.pk, raters="crowd")
    page = client.get(reverse("judge", args=[ref, run.pk])).content.decode()
    for extension, start in (("svg", b"<?xml"), ("png", b"\x89PNG"), ("csv", b"grade,people,low")):
        url = reverse("judge-file", args=[ref, run.pk, "labels", extension])
        assert f'href="{url}?' in page
        assert client.get(url).content.startswith(start)
    assert client.get(url.replace("labels", "other")).status_code == 404


def test_accounts_start_sentinels_with_the_default_options_only(well_rated, client):
    client.force_login(User.objects.create_user("reader"))
    url = reverse("judges", args=["small"])
    client.get(url, {"epsilon": "0.2"})
    assert not Analysis.objects.filter(kind="sentinel-judges").exists()
    client.get(url)
    assert Analysis.objects.filter(kind="sentinel-judges").exists()


def test_sentinels_stand_in_the_same_table(well_rated, tmp_path, client):
    judge = submit_judge(well_rated, tmp_path, noisy(0.3))
    score_here(well_rated, "token-f1")
    guesser = run_of(well_rated)
    for run in (judge, guesser):
        compute("judge", well_rated, run=run.pk, raters="experts")
    url = reverse("judge", args=["small", judge.pk])
    assert "sentinel-question" not in client.get(url).content.decode()
    analysis = analyses.request_analysis("sentinel-judges", well_rated, {"raters": "experts"})
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    result = analysis.result
    assert (result["items"], result["passages"]) == (180, 60)
    rows = {row["name"]: row for row in result["sentinels"]}
    assert list(rows) == ["sentinel-question", "sentinel-candidate"]
    assert all(0 < row["rho"] < 0.6 and row["tested"] == 4 for row in rows.values())
    page = client.get(url).content.decode()
    assert "sentinel-question" in page and "Sentinels, which see only" not in page
    assert "sentinel-candidate" in client.get(reverse("judges", args=["small"])).content.decode()
    stored = Analysis.objects.get(kind="sentinel-judges")
    stored.result["sentinels"][0]["rho"] = 0.97
    stored.save()
    page = client.get(reverse("judge", args=["small", guesser.pk])).content.decode()
    assert "sentinel-question has a rho of 0.97: as high as or higher than the judge" in page


def test_hidden_labels_hide_the_page(rated, client):
    run = run_of(rated)
    analysis = compute("judge", rated, run=run.pk, raters="crowd")
    hidden.hide(rated, "", at=now())
    page = client.get(reverse("judge", args=["small", run.pk])).content.decode()
    assert 'id="calibration"' not in page
    response = client.get(f"/api/v1/sets/small/analyses/{analysis.pk}")
    assert response.status_code == 422 or "calibration" not in response.content.decode()


def test_editors_start_it_and_others_do_not(rated, client):
    url = reverse("compute-judge", args=["small", run_of(rated).pk])
    assert client.post(url, {"epsilon": "0.2"}).status_code in (302, 403)
    assert not Analysis.objects.filter(kind="judge").exists()
    editor = User.objects.create_user("editor")
    add_member("small", editor, Role.EDITOR)
    client.force_login(editor)
    response = client.post(url, {"epsilon": "0.2", "family": "c, a,,c"})
    assert response.status_code == 302 and "family=a%2Cc" in response["Location"]
    client.post(url, {"epsilon": "0.2", "family": "a,c", "raters": "crowd"})
    parameters = Analysis.objects.get(kind="judge").parameters
    assert (parameters["epsilon"], parameters["family"]) == ("0.2", "a,c")
    assert client.post(url, {"family": "x1"}).status_code == 400
    assert client.post(url, {"raters": "nobody"}).status_code == 400
    page = client.get(response["Location"]).content.decode()
    assert 'value="a,c"' in page and "Being computed" in page


def test_accounts_start_it_with_the_default_options_only(rated, client):
    client.force_login(User.objects.create_user("reader"))
    url = reverse("judge", args=["small", run_of(rated).pk])
    for query in ("family=a", "family=b,%20a", "epsilon=0.2"):
        page = client.get(f"{url}?{query}").content.decode()
        assert "Editors of the set can start the computation" in " ".join(page.split())
    assert not Analysis.objects.filter(kind="judge").exists()
    for query in ("", "?family=%20,", "?raters=crowd&epsilon=0.1"):
        assert client.get(url + query).status_code == 200
    assert Analysis.objects.get(kind="judge").parameters["raters"] == "crowd"


@pytest.mark.parametrize("query", ["raters=nobody", "epsilon=9", "family=a,x1"])
def test_an_unknown_choice_is_refused(rated, client, query):
    url = reverse("judge", args=["small", run_of(rated).pk])
    assert client.get(f"{url}?{query}").status_code == 400
    assert not Analysis.objects.filter(kind="judge").exists()
    assert client.get(reverse("judge", args=["small", 999])).status_code == 404


@pytest.mark.usefixtures("usual_draws")
def test_the_cost_grows_with_the_pairs_of_raters(tmp_path, db):
    """As many ratings of fewer candidates are more pairs."""

    def set_of(name: str, raters: int, instances: int) -> JudgmentSet:
        lines = candidate_lines(instances)
        for line in lines:
            line["ratings"] = [
                {"worker": f"w{at}", "value": 1 + at % 5, "group": f"g{at % 2}"}
                for at in range(raters)
            ]
        path = write_lines(tmp_path / f"{name}.jsonl", lines)
        return importing.import_judgments(name, read_judgments([path], "concord"), at=now())

    many, few = set_of("many", 60, 5), set_of("few", 6, 50)
    costs = [judge.cost(one, 1, judge.KIND.read({})) for one in (many, few)]
    kappas = 2 * 500 * 7e-8 * 10 * 60 * 59 / 2
    assert costs[0] > kappas > 1 and costs[0] > costs[1]
    of_group = judge.cost(many, 1, judge.KIND.read({"raters": "g0"}))
    assert of_group < costs[0] - kappas / 2
