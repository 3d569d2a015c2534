"""The page and the analysis of estimates from few ratings."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from django.urls import reverse
from django.utils.timezone import now

import concord
from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.sets.services import importing
from concord.estimation import estimate
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import candidate_lines, published, score_here, write_lines
from tests.html import readable


@pytest.fixture
def partly_rated(tmp_path, db):
    """A set in which 30 of 60 passages are rated."""
    lines = candidate_lines(instances=60, systems=("a", "b"))
    for line in lines[60:]:
        line.pop("ratings", None)
        line.pop("score", None)
    path = write_lines(tmp_path / "small.jsonl", lines)
    judgments = read_judgments([path], "concord", ReadOptions())
    judgment_set = importing.import_judgments("small", judgments, None, at=now())
    score_here(judgment_set, "token-f1")
    return published(judgment_set)


def test_the_page_has_the_estimates_of_the_command(partly_rated, client, tmp_path):
    url = reverse("estimate", args=[str(partly_rated)])
    page = client.get(url, follow=True).content.decode()
    assert "60 of 120 candidates" in " ".join(page.split())
    analysis = analyses.find_analysis("estimate", partly_rated, {"run": 0, "target": "set"})
    run = complete_board_runs(partly_rated)[0]
    frame = concord.read_judgments(tmp_path / "small.jsonl")
    scores = {"id": frame["id"], "token-f1": run.score_array[: len(frame)]}
    expected = estimate(frame, pd.DataFrame(scores).set_index("id")).to_json()
    result = analysis.result["report"]
    for system, row in expected["systems"].items():
        assert result["systems"][system]["mean"] == pytest.approx(row["mean"], abs=1e-12)
        assert result["systems"][system]["ci"] == pytest.approx(row["ci"], abs=1e-12)
    assert json.loads(json.dumps(result)) == result
    assert np.isfinite([row["mean"] for row in result["systems"].values()]).all()


def test_new_passages_are_less_certain(partly_rated, client):
    url = reverse("estimate", args=[str(partly_rated)])
    widths = {}
    for target in ("set", "new"):
        client.get(url, {"target": target}, follow=True)
        analysis = analyses.find_analysis("estimate", partly_rated, {"run": 0, "target": target})
        low, high = analysis.result["report"]["systems"]["a"]["ci"]
        widths[target] = high - low
    assert widths["new"] > widths["set"]


def test_means_of_a_set_that_is_rated_in_full_are_called_exact(tmp_path, db, client):
    """Not intervals of no width and p-values of 0."""
    path = write_lines(tmp_path / "full.jsonl", candidate_lines(20, ("a", "b")))
    judgments = read_judgments([path], "concord", ReadOptions())
    judgment_set = importing.import_judgments("full", judgments, None, at=now())
    score_here(judgment_set, "token-f1")
    url = reverse("estimate", args=[str(published(judgment_set))])
    page = readable(client.get(url, follow=True))
    assert "Every candidate is rated." in page
    assert "exact" in page and "p < 0.05" not in page
    new = readable(client.get(url, {"target": "new"}, follow=True))
    assert "Every candidate is rated." not in new and "exact</td>" not in new
