"""The page that compares metrics, its files, and the permission to start the computation."""

from __future__ import annotations

import json
import re
import struct
from xml.etree import ElementTree

import pytest
from django.test import Client

from benchmarks.analyses import kinds
from benchmarks.analyses.kinds.agreement import rows as comparison_rows
from benchmarks.analyses.models import Analysis
from benchmarks.sets.views.pictures import png
from benchmarks.templatetags.figures import interval, no_intervals
from tests.benchmarks.factories import make_set, score_here
from tests.html import readable

PAGE = "/sets/small/comparison/"


@pytest.fixture
def compared(tmp_path, db):
    judgment_set = make_set(tmp_path, instances=24, systems=("a", "b", "c"))
    score_here(judgment_set, "token-f1,rouge-l,bleu-1,exact-match")
    return judgment_set


def text(client: Client, query: str = "") -> str:
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_page_shows_groups_pairs_people_and_a_learning_curve(compared, visitor):
    page = text(visitor)
    for expected in (
        "Ranks",
        "Human agreement",
        "All pairs",
        "Similarity of metrics",
        "72 judged candidates",
        "Are there enough judgments?",
    ):
        assert expected in page, expected
    assert "style=" not in page  # the content security policy forbids inline styles
    for query in (
        "?average=sys&resample=both",
        "?part=system:a",
        "?test=williams",
        "?coefficient=spearman&test=williams",
        "?unit=passage",
    ):
        assert "number of metrics that are significantly better" in text(visitor, query)


def test_board_and_comparison_show_the_same_ranks(compared, visitor):
    """Three systems of which the metrics rank one right, so that ranks and groups differ."""
    board = visitor.get("/sets/small/leaderboard/").content.decode()
    ranks = re.findall(
        r'class="num rank">\s*(\S+?)\s*</td>.*?<th scope="row".*?>([\w-]+)</a>', board, re.S
    )
    assert len(ranks) == 4
    plot = visitor.get(f"{PAGE}ranking.svg").content.decode()
    shown = re.findall(r'text-anchor="end">([\w-]+)</text><text class="tick"[^>]*>(\d+)<', plot)
    assert {metric: rank for rank, metric in ranks} == dict(shown)
    assert "comparison/ranking.svg?" in text(visitor)


def test_a_metric_has_the_same_interval_on_all_pages(compared, visitor):
    run = compared.runs.get(metric="rouge-l")
    for sort in ("pearson", "spearman"):
        assert visitor.get(f"/sets/small/leaderboard/?sort={sort}").status_code == 200
    row = next(
        row
        for row in kinds.agreement.KIND.result_of(
            Analysis.objects.get(parameters__coefficient="pearson")
        )["metrics"]
        if row["run"] == run.pk
    )
    page = " ".join(readable(visitor.get(f"/sets/small/runs/{run.pk}/")).split())
    assert f"{interval(row['ci'], 3)} (over passages)" in page
    board = " ".join(readable(visitor.get("/sets/small/leaderboard/")).split())
    assert interval(row["ci"], 3) in board


def test_similarities_near_one_are_not_printed_as_zero():
    rows = [{"metric": name, "multi_ref": "max"} for name in "ab"]
    metrics = [comparison_rows.ComparedMetric(i, row, None) for i, row in enumerate(rows)]
    for r, mark in ((0.996, "1.00"), (0.994, ".99"), (-0.06, ".06")):
        cells = comparison_rows._similarity({"between_metrics": [[], [r]]}, metrics, ["a", "b"])
        assert cells[0][1][1] == mark


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?coefficient=cosine", 400),
        ("?part=colour:red", 400),
        ("?part=system:nobody", 200),
        ("?seed=3", 200),
    ],
)
def test_invalid_queries_are_bad_requests(compared, visitor, query, status):
    assert visitor.get(f"{PAGE}{query}").status_code == status


def test_a_part_without_judgments_shows_the_reason(compared, visitor):
    assert "No candidate of system nobody has a gold score." in text(visitor, "?part=system:nobody")


def test_the_files_have_the_figures_of_the_page(compared, visitor):
    text(visitor)
    document = json.loads(visitor.get(f"{PAGE}comparison.json").content)
    assert document["parameters"]["seed"] == 1 and document["result"]["n"] == 72
    lines = visitor.get(f"{PAGE}comparison.csv").content.decode().splitlines()
    assert len(lines) == 1 + 4 and "signature" in lines[0]
    tex = visitor.get(f"{PAGE}comparison.tex").content.decode()
    assert r"\begin{tabular}" in tex and "token-f1" in tex
    for name in ("ranking", "matrix", "similarity", "learning"):
        svg = visitor.get(f"{PAGE}{name}.svg")
        assert ElementTree.fromstring(svg.content).tag.endswith("svg")
        picture = visitor.get(f"{PAGE}{name}.png").content
        width, height = struct.unpack(">II", picture[16:24])
        assert picture[:4] == b"\x89PNG" and min(width, height) > 150
    for missing in ("ranking.gif", "nothing.svg", "comparison.svg"):
        assert visitor.get(f"{PAGE}{missing}").status_code == 404


def test_png_text_needs_no_system_fonts():
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20" width="80" height="20">'
    blank, written = png(frame + "</svg>"), png(frame + '<text y="15">judgment</text></svg>')
    assert len(written) > 2 * len(blank)


def test_staff_can_start_and_stop_a_long_analysis(
    compared, visitor, staff, monkeypatch, django_capture_on_commit_callbacks
):
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    monkeypatch.setattr("benchmarks.analyses.services.MAX_SECONDS_IN_PAGE", 0.0)
    assert "Editors of the set can start the computation" in text(visitor)
    assert "Compute" in text(staff)
    form = {"coefficient": "spearman", "part": "system:a"}
    with django_capture_on_commit_callbacks(execute=True):
        staff.post(f"{PAGE}compute", form)
    (analysis,) = Analysis.objects.all()
    assert sent == [analysis.pk]
    assert (analysis.parameters["coefficient"], analysis.parameters["group"]) == ("spearman", "a")
    assert "Being computed" in text(staff, "?coefficient=spearman&part=system:a")
    staff.post(f"{PAGE}compute", form | {"stop": "1"})
    analysis.refresh_from_db()
    assert analysis.status == "cancelled"
    assert "Stopped by hand." in text(visitor, "?coefficient=spearman&part=system:a")


def test_the_interval_of_a_difference_is_beside_the_p_value_of_its_method():
    row = {"metric": "m", "multi_ref": "max", "value": 0.5, "ci": [0.1, 0.9], "p": 0.01}
    other = {**row, "metric": "n", "value": 0.4}
    metrics = [comparison_rows.ComparedMetric(i, one, None) for i, one in enumerate((row, other))]
    result = {
        "adjusted_by": "holm", "draws": {"bootstrap": 100, "perm-both": 100}, "unit": "passage",
        "tests": {"perm-both": [[], [0.4]], "paired-bootstrap": [[], [0.01]], "holm": [[], [0.6]],
                  "low": [[], [-0.095]], "high": [[], [-0.013]]},
    }  # fmt: skip
    for test, p in (("paired-bootstrap", 0.01), ("perm-both", 0.4), ("adjusted", 0.6)):
        pair = comparison_rows._pair(result, test, *metrics)
        assert (pair.ci, pair.p, pair.tested_p) == ((0.013, 0.095), 0.01, p)
    assert pair.method == (
        "PERM-BOTH, 100 draws that swap the scores of whole passages, adjusted for the number of "
        "pairs"
    )


def test_reasons_without_an_interval_are_collected_once():
    few = {"value": 0.4, "ci": None, "no_interval": "3 passages; at least 10 are needed"}
    document = {"metrics": [few, {"figure": few}, {"value": 0.1, "ci": [0.0, 0.2]}]}
    assert no_intervals(document) == "No interval: 3 passages; at least 10 are needed."
    assert no_intervals({"metrics": []}) == ""
