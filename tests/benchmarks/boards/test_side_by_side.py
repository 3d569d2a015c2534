"""Two metrics of a board side by side."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks.analyses import kinds
from benchmarks.analyses import services as analyses
from benchmarks.errors.services import errors
from benchmarks.runs.models import MetricRun
from benchmarks.sets.services import hidden
from tests.benchmarks.scenes import Scene


@pytest.fixture
def other(scene: Scene) -> MetricRun:
    return MetricRun.objects.get(judgment_set=scene.judgment_set, metric="rouge-l")


def shown(client: Client, scene: Scene, *runs: int) -> str:
    response = client.get(reverse("side-by-side", args=[scene.ref]), {"run": runs})
    assert response.status_code == 200
    return " ".join(unescape(response.content.decode()).split())


def test_the_table_has_the_paired_difference_of_the_comparison(
    scene: Scene, other: MetricRun, visitor: Client
) -> None:
    analysis = analyses.find_or_compute("agreement", scene.judgment_set, {"coefficient": "pearson"})
    assert analysis is not None
    rows = {row["run"]: row for row in kinds.agreement.KIND.result_of(analysis)["metrics"]}
    first, second = rows[scene.run.pk]["value"], rows[other.pk]["value"]
    assert first is not None and second is not None
    text = shown(visitor, scene, scene.run.pk, other.pk)
    row = text[text.index('<th scope="row">Pearson') :]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", row[: row.index("</tr>")])
    assert f"{first:.3f}" in cells[0] and f"{second:.3f}" in cells[1]
    assert f"<strong>{first - second:+.3f}</strong>".replace("-", "\N{MINUS SIGN}") in cells[2]
    assert cells[4].strip().startswith("p ")
    # The set has too few passages for an interval by resampling them.
    assert "No interval: " in cells[2] and "at least 10 are needed" in cells[2]


def test_the_order_of_the_metrics_turns_the_difference(
    scene: Scene, other: MetricRun, visitor: Client
) -> None:
    def difference(*runs: int) -> float:
        text = shown(visitor, scene, *runs)
        (value,) = re.findall(r"Pearson ?</th>.*?<strong>(.*?)</strong>", text)[:1]
        return float(value.replace("\N{MINUS SIGN}", "-"))

    assert difference(scene.run.pk, other.pk) == -difference(other.pk, scene.run.pk) != 0


def test_candidates_points_and_documentation_are_there(
    scene: Scene, other: MetricRun, visitor: Client
) -> None:
    text = shown(visitor, scene, scene.run.pk, other.pk)
    assert text.count('class="point"') == scene.judgment_set.n_candidates
    largest = errors.conflicts(scene.run, other, 1)[0].candidate
    assert reverse("candidate", args=[scene.ref, largest.key]) in text
    for metric in ("token-f1", "rouge-l"):
        assert reverse("docs-page", args=[f"reference/metrics/{metric}.html"]) in text
    assert f"{reverse('errors', args=[scene.ref])}?run={scene.run.pk}&other={other.pk}" in text


def test_hidden_labels_are_not_shown(scene: Scene, other: MetricRun, visitor: Client) -> None:
    hidden.hide(scene.judgment_set, hidden.WHOLE, at=scene.judgment_set.created_at)
    text = shown(visitor, scene, scene.run.pk, other.pk)
    assert 'class="point"' not in text and "<strong>people</strong>" not in text
    assert "No candidate has a score by both." in text


def test_a_metric_without_a_figure_has_no_difference(scene: Scene, visitor: Client) -> None:
    text = shown(visitor, scene, scene.run.pk, scene.constant.pk)
    assert "undefined" in text


@pytest.mark.parametrize(
    ("count", "message"),
    [(0, "Choose two metrics."), (1, "You chose one metric."), (3, "You chose 3 metrics.")],
)
def test_another_number_of_metrics_asks_for_two(
    scene: Scene, visitor: Client, count: int, message: str
) -> None:
    runs = MetricRun.objects.filter(status="complete").values_list("pk", flat=True)[:count]
    assert message in shown(visitor, scene, *runs)


def test_the_board_sends_the_ticked_rows_to_the_page(scene: Scene, visitor: Client) -> None:
    board = visitor.get(reverse("leaderboard", args=[scene.ref])).content.decode()
    action = reverse("side-by-side", args=[scene.ref])
    assert f'<form id="side-by-side" method="get" action="{action}">' in board
    ticks = re.findall(r'<input\s+type="checkbox"\s+form="side-by-side"\s+name="run"', board)
    assert len(ticks) == 3
    assert 'form="side-by-side">Compare' in board


@pytest.mark.parametrize("run", ["x", "0", "99999999"])
def test_an_unknown_run_is_said(scene: Scene, visitor: Client, run: str) -> None:
    address = reverse("side-by-side", args=[scene.ref])
    answer = visitor.get(address, {"run": [run, str(scene.run.pk)]})
    assert answer.status_code == (400 if run == "x" else 404)
