"""The page that says which metric is better, its files and who may have it computed."""

from __future__ import annotations

import json
import struct
from xml.etree import ElementTree

import pytest
from django.test import Client

from benchmarks.analyses.models import Analysis
from benchmarks.sets.views.pictures import png
from tests.benchmarks.factories import make_set, score_here

PAGE = "/sets/small/comparison/"


@pytest.fixture
def compared(tmp_path, db):
    made = make_set(tmp_path, instances=24, systems=("a", "b", "c"))
    score_here(made, "token-f1,rouge-l,bleu-1,exact-match")
    return made


def text(client: Client, query: str = "") -> str:
    response = client.get(f"{PAGE}{query}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_page_shows_groups_pairs_people_and_a_learning_curve(compared, visitor):
    page = text(visitor)
    for told in (
        "Group 1",
        "Human agreement",
        "All pairs",
        "Similarity of metrics",
        "72 judged candidates",
        "Are there enough judgments?",
    ):
        assert told in page, told
    assert "style=" not in page  # the policy allows no inline style
    for query in (
        "?average=sys&resample=both",
        "?part=system:a",
        "?test=williams",
        "?unit=passage",
    ):
        assert "Group 1" in text(visitor, query)


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?coefficient=cosine", 400),
        ("?part=colour:red", 400),
        ("?part=system:nobody", 200),
        ("?seed=3", 200),
    ],
)
def test_a_question_that_cannot_be_asked_is_answered(compared, visitor, query, status):
    assert visitor.get(f"{PAGE}{query}").status_code == status


def test_a_part_without_judgments_says_so(compared, visitor):
    assert "No candidate of system nobody has a gold score." in text(visitor, "?part=system:nobody")


def test_the_files_hold_what_the_page_shows(compared, visitor):
    text(visitor)
    whole = json.loads(visitor.get(f"{PAGE}comparison.json").content)
    assert whole["parameters"]["seed"] == 1 and whole["result"]["n"] == 72
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


def test_the_picture_draws_its_text_without_the_systems_fonts():
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 20" width="80" height="20">'
    blank, written = png(frame + "</svg>"), png(frame + '<text y="15">judgment</text></svg>')
    assert len(written) > 2 * len(blank)


def test_what_takes_long_is_asked_for_by_staff_and_can_be_stopped(
    compared, visitor, staff, monkeypatch, django_capture_on_commit_callbacks
):
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    monkeypatch.setattr("benchmarks.analyses.services.AT_ONCE", 0.0)
    assert "Editors of the set can start the computation" in text(visitor)
    assert "Compute" in text(staff)
    asked = {"coefficient": "spearman", "part": "system:a"}
    with django_capture_on_commit_callbacks(execute=True):
        staff.post(f"{PAGE}compute", asked)
    (analysis,) = Analysis.objects.all()
    assert sent == [analysis.pk]
    assert (analysis.parameters["coefficient"], analysis.parameters["group"]) == ("spearman", "a")
    assert "Being computed" in text(staff, "?coefficient=spearman&part=system:a")
    staff.post(f"{PAGE}compute", asked | {"stop": "1"})
    analysis.refresh_from_db()
    assert analysis.status == "cancelled"
    assert "Stopped by hand." in text(visitor, "?coefficient=spearman&part=system:a")
