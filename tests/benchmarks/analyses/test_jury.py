"""The analysis of a jury of judges, and its section on the page of judges."""

from __future__ import annotations

import numpy as np
import pytest
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.runs.models import Submission
from benchmarks.sets.services import frames
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.judges import grades_from_scores, jury_report
from tests.benchmarks.analyses.test_judges import compute
from tests.benchmarks.factories import make_set, published, score_here, write_lines
from tests.html import readable


@pytest.fixture
def rated(tmp_path, db):
    """120 candidates, and a metric, which is no judge."""
    judgment_set = make_set(tmp_path, instances=60, systems=("a", "b"))
    score_here(judgment_set, "token-f1")
    return published(judgment_set)


def submit_judge(judgment_set, folder, name, factor):
    """A judge whose grades are people's scores with noise, times a factor; returns the grades."""
    rng, gold = np.random.default_rng(len(name)), frames.frame(judgment_set).gold
    grades = np.clip(np.round(gold + rng.normal(size=len(gold))), 1, 5) * factor
    keys = judgment_set.candidates.order_by("position").values_list("key", flat=True)
    rows = [{"id": key, "score": grade} for key, grade in zip(keys, grades.tolist(), strict=True)]
    path = write_lines(folder / f"{name}.jsonl", rows)
    submissions.submit_judgments(judgment_set, SubmissionInfo(name), path, owner=None, at=now())
    return grades


def section(client, judgment_set):
    return readable(client.get(reverse("judges", args=[str(judgment_set)])))


def test_the_jury_is_that_of_the_library(rated, tmp_path, client):
    judges = {name: submit_judge(rated, tmp_path, name, 1.0) for name in ("one", "three")}
    percent = submit_judge(rated, tmp_path, "percent", 20.0)
    frame = frames.frame(rated)
    judges["percent"] = grades_from_scores(percent, frame.gold, frame.clusters, rated.scale)
    result = compute("jury", rated, draws=50).result
    expected = jury_report(judges, frame.gold, frame.clusters, graded=True, draws=50)
    assert {row["name"] for row in result["judges"]} == set(judges)
    of_judges = {row["name"]: row["agreement"]["value"] for row in result["judges"]}
    for row in expected.judges:
        assert of_judges[row.name] == pytest.approx(row.agreement.value)
    gains = [row["gain"]["value"] for row in result["juries"]]
    assert gains == pytest.approx([row.gain.value for row in expected.juries])
    page = section(client, rated)
    assert "Are several judges better than the best one?" in page
    assert "best single judge" in page and "one + three" in page


def test_one_judge_is_no_jury(rated, tmp_path, client):
    assert "none has them here" in section(client, rated)
    submit_judge(rated, tmp_path, "one", 1.0)
    assert "A jury needs two judges with stored answers; 1 judge has them here." in section(
        client, rated
    )


@pytest.fixture
def judges(rated, tmp_path):
    return {
        name: submit_judge(rated, tmp_path, name, factor)
        for name, factor in (("one", 1.0), ("three", 1.0), ("percent", 20.0))
    }


def test_the_frontier_is_by_money_where_every_judge_has_a_price(rated, judges, client):
    Submission.objects.filter(name="one").update(answer_cost=0.002)
    assert compute("jury", rated, draws=20).result["is_priced"] is False
    Submission.objects.filter(name="three").update(answer_cost=0.5)
    Submission.objects.filter(name="percent").update(answer_cost=0.001)
    result = compute("jury", rated, draws=21).result
    assert result["is_priced"] and result["frontier"][0]["cost"] == 0.001
