"""Metrics, raters and systems on pairs that people judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds import choices
from benchmarks.analyses.kinds.choices import ChoicesAnalysis
from benchmarks.boards.api.boards import choices_document
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from concord.cli import main
from concord.formats import read_pairs
from core.accounts.roles import Role
from tests import real_data
from tests.benchmarks.factories import (
    add_member,
    judged_pair_lines,
    make_judged_pairs_set,
    make_set,
    published,
    score_here,
    write_lines,
)
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(tmp_path: Path) -> JudgmentSet:
    made = make_judged_pairs_set(tmp_path)
    score_here(made, "token-f1,bleu-1")
    return made


def result_of(judgment_set: JudgmentSet) -> ChoicesAnalysis:
    return cast(ChoicesAnalysis, analyses.result("choices", judgment_set, {}))


def test_metrics_are_compared_with_the_majority(judged: JudgmentSet, client: Client) -> None:
    document = client.get("/api/v1/sets/judged/choices").json()
    # Four pairs have two votes of three and a tie: a share of 5/6; two are one vote to one.
    assert (document["pairs"], document["choices"], document["tied"]) == (6, 18, 2)
    run = judged.runs.defer(None).get(metric="token-f1")
    scores = run.score_array
    points = []
    for pair in judged.judged_pairs.select_related("candidate1", "candidate2")[:4]:
        gap = scores[pair.candidate1.position] - scores[pair.candidate2.position]
        better = np.sign(pair.candidate1.gold - pair.candidate2.gold)
        points.append(1.0 if np.sign(gap) == better else 0.5 if gap == 0 else 0.0)
    (row,) = [row for row in document["metrics"] if row["metric"] == "token-f1"]
    assert row["accuracy"]["value"] == pytest.approx(np.mean(points))
    assert [one["n"] for one in row["margins"]] == [0, 4, 0]
    assert row["margins"][1]["accuracy"] == row["accuracy"]
    values = [row["accuracy"]["value"] for row in document["metrics"]]
    assert values == sorted(values, reverse=True)


def test_the_ranking_stands_beside_that_of_scores(judged: JudgmentSet) -> None:
    ranking = result_of(judged).ranking
    assert ranking is not None
    rows = choices.ranked_systems(judged, ranking)
    assert {row["system"] for row in rows} == {"a", "b"}
    assert rows[0]["win_probability"] > 0.5 > rows[1]["win_probability"]
    by_scores = {row["system"]: row["mean"].value for row in rows}
    golds = {
        system: np.mean(judged.candidates.filter(system=system).values_list("gold", flat=True))
        for system in ("a", "b")
    }
    assert by_scores == pytest.approx(golds)
    assert {row["rank"] for row in rows} == {None}, "no rank without an interval"


def test_the_page_shows_figures_and_texts(judged: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/judged/choices/", follow=True)))
    assert "18 choices by 3 workers between the answers of 6 pairs, 6 of them ties" in page
    assert "token-f1" in page and "Win probability" in page and "The answer shown first" in page
    assert "Choices: 2, a tie, 2" in page
    assert 'href="/sets/judged@2/choices/">6</a>' in str(readable(client.get("/sets/judged/")))


def test_a_worker_computes_the_figures_of_a_large_set(
    judged: JudgmentSet, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(User.objects.create_user("reader"))
    monkeypatch.setattr(analyses, "MAX_SECONDS_IN_PAGE", 0)
    assert client.get("/api/v1/sets/judged/choices").status_code == 409
    page = str(readable(client.get("/sets/judged/choices/", follow=True)))
    assert "Being computed" in page and "Win probability" not in page
    assert "Choices: 2, a tie, 2" in page, "the pairs need no computation"
    (queued,) = judged.analyses.filter(kind="choices")
    analyses.ANALYSES.perform(queued.pk)
    assert "Win probability" in str(
        readable(client.get("/sets/judged/choices/?page=1", follow=True))
    )
    assert client.get("/api/v1/sets/judged/choices").json()["tied"] == 2
    rosa = User.objects.create_user("rosa")
    add_member("judged", rosa, Role.EDITOR)
    client.force_login(rosa)
    answer = client.post("/sets/judged/choices/compute")
    assert answer.url == "/sets/judged@2/choices/?both_bad=tie"


def test_hidden_labels_hide_all_but_the_counts(judged: JudgmentSet, client: Client) -> None:
    hidden.hide(judged, "test", at=now())
    document = client.get("/api/v1/sets/judged/choices").json()
    assert (document["pairs"], document["metrics"], document["ranking"]) == (6, [], None)
    page = str(readable(client.get("/sets/judged/choices/", follow=True)))
    assert "Labels of this set are hidden" in page and "Choices: 2" not in page


def test_a_set_without_judged_pairs_says_so(tmp_path: Path, client: Client) -> None:
    made = make_set(tmp_path)
    assert choices_document(made).pairs == 0
    page = str(readable(client.get("/sets/small/choices/", follow=True)))
    assert "This set has no pairs that people judged." in page


def test_lfqa_is_ranked_as_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(real_data.path("lfqa").glob("*.json"))
    made = importing.import_pairs("lfqa", read_pairs(files, "lfqa"), at=now())
    document = choices_document(made)
    assert (document.pairs, document.choices) == (60, 120)
    assert document.alpha == pytest.approx(0.602, abs=0.001)
    assert document.first_wins == pytest.approx(0.567, abs=0.001)
    assert document.first_wins_p == pytest.approx(0.290, abs=0.001)
    main(["ranking", *map(str, files), "--from", "lfqa", "--format", "json"])
    printed = capsys.readouterr().out
    ranking = document.ranking
    assert ranking is not None
    for name, row in json.loads(printed)["systems"].items():
        assert ranking["systems"][name]["win_probability"] == pytest.approx(row["win_probability"])


def test_what_is_both_bad_is_left_out_of_the_ranking_where_the_page_is_asked_to(
    judged: JudgmentSet, client: Client, tmp_path: Path
) -> None:
    path = "/sets/judged/choices/"
    assert "Both bad, in the ranking" not in readable(client.get(path, follow=True))
    lines = judged_pair_lines()
    for line in lines:
        line["ratings"][1]["choice"] = "both_bad"
    pairs = read_pairs([write_lines(tmp_path / "bad.jsonl", lines)], "concord")
    made = importing.import_pairs("judged", pairs, at=now())
    published(made)
    page = readable(client.get(path, {"both_bad": "leave-out"}, follow=True))
    assert '<option value="leave-out" selected>' in page
    counted, left = (
        cast(ChoicesAnalysis, analyses.result("choices", made, {"both_bad": rule})).ranking
        for rule in ("tie", "leave-out")
    )
    assert counted is not None and left is not None
    assert counted["choices"] - left["choices"] == 6
    assert all(row["ties"] == 0 for row in left["systems"].values())
