"""The page of metrics as judges of correctness, its files and its curves."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client
from django.utils.timezone import now
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.kinds.correctness import computation
from benchmarks.analyses.kinds.correctness import table as correctness_table
from benchmarks.analyses.models import Analysis
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from concord.formats import ReadOptions, read_judgments
from tests.benchmarks.factories import candidate_lines, make_set, published, score_here, write_lines
from tests.benchmarks.scenes import Scene

BASE = "/sets/small/correctness"


@pytest.fixture
def judged(tmp_path: Path, db: None) -> JudgmentSet:
    judgment_set = make_set(tmp_path, instances=30, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l,ter")
    return judgment_set


def text(client: Client, query: str = "") -> str:
    response = client.get(f"{BASE}/{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def run_of(judged: JudgmentSet, metric: str) -> int:
    return MetricRun.objects.get(judgment_set=judged, metric=metric).pk


def test_the_page_shows_verdicts_curves_systems_and_picks(
    judged: JudgmentSet, visitor: Client
) -> None:
    page = text(visitor)
    for expected in (
        "30 answers on 10 passages are reported; people judge 20 of them correct",
        "on the split dev: 30 answers on 10 passages",
        "every answer correct",
        "Correct or not?",
        "at every threshold",
        "average precision",
        "over 3 systems",
        "30 questions with two or more judged candidates",
        'aria-label="ROC curve of',
        "Robustness to optimisation",
        "People find 67% of random picks correct",
        "Fitted to people",
    ):
        assert expected in page, expected
    assert "style=" not in page  # the content security policy forbids inline styles


def test_options_change_the_page(judged: JudgmentSet, visitor: Client) -> None:
    drawn = text(visitor, "?tune=passages")
    assert "on a fifth of the passages: 18 answers on 6 passages, drawn with seed" in drawn
    assert "60 answers on 20 passages" in text(visitor, "?report=every+other")
    assert "people judge 0 of them correct" in text(visitor, "?gold=5")
    assert "least error of P@1" in text(visitor, "?rule=p1")
    likely = text(visitor, "?estimate=probability")
    assert "taking its scores for the chance" in likely
    assert "its scores are not probabilities" in likely  # ter
    named = text(visitor, f"?metric={run_of(judged, 'ter')}&sort=auc")
    assert "ter at every threshold" in named and "best auc first" in named
    assert "has no judged split" not in text(visitor)
    assert "The set has no judged split “moon”" in text(visitor, "?tune=moon")


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?gold=nan", 400),
        ("?gold=high", 400),
        ("?rule=luck", 400),
        ("?sort=signature", 400),
        ("?metric=999999", 404),
        ("?tune=%00", 400),
    ],
)
def test_invalid_queries_are_rejected(
    judged: JudgmentSet, visitor: Client, query: str, status: int
) -> None:
    assert visitor.get(f"{BASE}/{query}").status_code == status


def test_undefined_metrics_come_last_with_the_reason(scene: Scene, visitor: Client) -> None:
    page = text(visitor)
    assert "undefined: the metric gives every candidate the same score, 0" in page
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    assert table.index("rouge-l") < table.index("exact-match")
    constant = text(visitor, f"?metric={scene.constant.pk}")
    assert "The metric gives every candidate the same score, 0." in constant


def test_a_set_without_scores_shows_the_reason(tmp_path: Path, db: None, visitor: Client) -> None:
    make_set(tmp_path)
    assert "needs 1 or more scored metrics; the set has 0" in text(visitor)
    assert visitor.get(f"{BASE}/correctness.csv").status_code == 404


def test_the_files_have_parameters_and_figures(judged: JudgmentSet, visitor: Client) -> None:
    document = json.loads(visitor.get(f"{BASE}/correctness.json?rule=p1").content)
    assert document["judgment_set"] == "small" and document["date"]
    assert document["parameters"]["rule"] == "p1" and document["parameters"]["seed"] == 20
    assert document["parameters"]["draws"] == 1000
    rows = list(
        csv.DictReader(io.StringIO(visitor.get(f"{BASE}/correctness.csv?rule=p1").content.decode()))
    )
    assert tuple(rows[0]) == correctness_table.COLUMNS
    for row, metric in zip(rows, document["metrics"], strict=True):
        assert row["signature"] == metric["signature"] and row["n"] == "30" and row["seed"] == "20"
        assert float(row["auc"]) == metric["auc"]["value"]
        added = metric["optimised"]["added"]
        assert float(row["optimised_added"]) == added["value"]
        assert row["optimised_fitted_people"] == str(
            metric["optimised"]["fitted"]["people"]["value"]
        )
        assert float(row["p1_rmse"]) == metric["systems"]["p1"]["rmse"]["value"]


@pytest.mark.parametrize("name", ["roc", "precision-recall", "reliability"])
def test_curves_can_be_downloaded(judged: JudgmentSet, visitor: Client, name: str) -> None:
    svg = visitor.get(f"{BASE}/{name}.svg?metric={run_of(judged, 'rouge-l')}")
    root = ElementTree.fromstring(svg.content)
    assert root.tag.endswith("svg") and b"rouge-l" in svg.content and b"seed 20" in svg.content
    assert visitor.get(f"{BASE}/{name}.png").content.startswith(b"\x89PNG")
    assert visitor.get(f"{BASE}/{name}.gif").status_code == 404


def test_an_unknown_curve_is_not_found(judged: JudgmentSet, visitor: Client) -> None:
    assert visitor.get(f"{BASE}/moon.svg").status_code == 404


def test_hidden_labels_give_visitors_no_figure_and_no_curve(
    judged: JudgmentSet, visitor: Client, staff: Client
) -> None:
    hidden.hide(judged, "test", at=now())
    page = text(visitor, "?gold=1")
    assert "Withheld: labels are hidden" in page and "people judge" not in page
    assert visitor.get(f"{BASE}/roc.svg").status_code == 404
    assert visitor.get(f"{BASE}/correctness.csv").status_code == 404
    assert "people judge 30 of them correct" in text(staff, "?gold=1")


def test_thirty_metrics_take_few_queries(
    judged: JudgmentSet, visitor: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    first = MetricRun.objects.filter(judgment_set=judged).defer(None).order_by("pk").first()
    assert first is not None
    rng = np.random.default_rng(1)
    for number in range(27):
        first.pk, first.signature = None, f"made|{number}"
        first.scores = rng.random(judged.n_items).tobytes()
        first.save(force_insert=True)
    with django_assert_max_num_queries(30):
        assert "made|26" in text(visitor)


def test_ranked_lists_have_map_and_mrr(tmp_path: Path, db: None, visitor: Client) -> None:
    lines = candidate_lines(30, ("a", "b", "c", "d"))
    for line in lines:
        line["system"] = {"c": "a", "d": "b"}.get(line["system"], line["system"])
    judgments = read_judgments([write_lines(tmp_path / "l.jsonl", lines)], "concord", ReadOptions())
    judgment_set = published(importing.import_judgments("small", judgments, None, at=now()))
    score_here(judgment_set, "token-f1")
    page = text(visitor)
    assert "MAP RMSE" in page and "MRR, people" in page
    assert "questions with both correct and wrong candidates" in page
    assert "are left out of tuning" not in page
    assert "MAP RMSE" in text(visitor, "?mixed=yes")


@pytest.fixture
def large(judged: JudgmentSet, monkeypatch: pytest.MonkeyPatch) -> JudgmentSet:
    """A set whose figures a worker computes."""
    monkeypatch.setattr(computation, "SECONDS_PER_SCORE", 0.1)
    return judged


def test_a_worker_computes_the_figures_of_a_large_set(
    large: JudgmentSet,
    visitor: Client,
    member: Client,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.compute_analysis, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        text(visitor)
    assert not sent, "visitors start nothing"
    with django_capture_on_commit_callbacks(execute=True):
        page = text(member)
    assert "Being computed" in page and "hx-get" in page and "every answer correct" not in page
    assert visitor.get(f"{BASE}/correctness.json").status_code == 404
    (pk,) = sent
    analyses.ANALYSES.perform(pk)
    page = text(visitor)
    assert "30 answers on 10 passages are reported" in page and "hx-get" not in page
    assert "Robustness to optimisation" in page
    document = json.loads(visitor.get(f"{BASE}/correctness.json").content)
    assert document["optimised"]["chance"]["value"] == pytest.approx(2 / 3)
    answer = visitor.get(f"/api/v1/sets/small/analyses/{pk}").json()
    assert answer["result"]["metrics"] == document["metrics"]


def test_the_figures_of_a_worker_are_those_of_the_page(
    judged: JudgmentSet, visitor: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = json.loads(visitor.get(f"{BASE}/correctness.json").content)
    monkeypatch.setattr(computation, "SECONDS_PER_SCORE", 0.1)
    analyses.ANALYSES.perform(analyses.request_analysis("correctness", judged, {}).pk)
    analysis = Analysis.objects.get(kind="correctness")
    assert analysis.status == Analysis.Status.COMPLETE
    assert analysis.result["metrics"] == here["metrics"]
    assert analysis.result["optimised"] == here["optimised"]


def test_visitors_start_no_analysis_with_a_threshold_of_their_own(
    large: JudgmentSet, visitor: Client, staff: Client
) -> None:
    assert "has not been computed yet" in text(visitor, "?gold=2.5")
    assert not Analysis.objects.exists()
    page = staff.get(f"{BASE}/?gold=2.5").content.decode()
    fields = dict(
        re.findall(r'name="(gold|rule|tune|report|estimate|mixed)"\s+value="([^"]*)"', page)
    )
    response = staff.post(f"{BASE}/compute", fields)
    assert response.status_code == 302 and "gold=2.5" in response["Location"]
    assert Analysis.objects.get().parameters["gold"] == 2.5
    assert "Being computed" in staff.get(response["Location"]).content.decode()


def test_an_analysis_shows_no_more_of_hidden_labels_than_the_page(
    large: JudgmentSet, visitor: Client
) -> None:
    analysis = analyses.request_analysis("correctness", large, {})
    analyses.ANALYSES.perform(analysis.pk)
    hidden.hide(large, "test", at=now())
    refused = visitor.get(f"/api/v1/sets/small/analyses/{analysis.pk}")
    assert refused.status_code == 422 and "labels are hidden" in refused.json()["detail"]
