"""The evaluation plane of a set: grid, position, flooding, page and files."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, importing
from concord.formats import read_judgments
from core.refusals import RefusedError
from tests.benchmarks.factories import candidate_lines, make_set, score_here, write_lines
from tests.html import readable

SYSTEMS = ("a", "b", "c", "d", "e", "f")
PAGE = "/sets/small/plane/"


@pytest.fixture
def ranked(tmp_path, db) -> JudgmentSet:
    return make_set(tmp_path, instances=25, systems=SYSTEMS)


def compute(judgment_set: JudgmentSet, **parameters: str):
    analysis = analyses.request_analysis("plane", judgment_set, parameters)
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    return analysis


def test_a_cell_is_r_squared_of_its_metric(ranked):
    analysis = compute(ranked)
    assert analysis.status == "complete", analysis.reason
    (run,) = score_here(ranked, "aev(alpha=0.3,n=2)")
    frame = frames.frame(ranked)
    corpus = {row["system"]: row["corpus"] for row in run.statistics["systems"]}
    means = [frame.gold[frame.labels["system"] == system].mean() for system in SYSTEMS]
    r = np.corrcoef([corpus[system] for system in SYSTEMS], means)[0, 1]
    assert analysis.result["r"][3][1] == pytest.approx(r, abs=1e-9)
    assert np.array(analysis.result["r"]).shape == (11, 4)
    assert analysis.runs == [], "a new run does not change the analysis"
    assert compute(ranked).pk == analysis.pk


def test_parameters_set_the_position_and_flooding_lowers_good_answers(ranked):
    predicted = compute(ranked, guideline="fluency", application="translation").result["predicted"]
    assert predicted["precision"] == predicted["faithfulness"] == 1.0
    assert predicted["alpha"] == [0.8, 1.0] and predicted["n"] == [3, 4]
    suggested = compute(ranked).result["suggested"]
    assert suggested["application"]["name"] == "question answering"
    flooded = compute(ranked, flooded="yes").result
    assert flooded["flooded"]["answers"] > 0
    plain = {row["system"]: row["gold"] for row in compute(ranked).result["systems"]}
    lowered = {row["system"]: row["gold"] for row in flooded["systems"]}
    assert {s for s in SYSTEMS if lowered[s] < plain[s]} <= set(flooded["flooded"]["systems"])
    assert lowered != plain


def test_the_criterion_of_the_import_suggests_the_guideline(tmp_path, db):
    path = write_lines(tmp_path / "f.jsonl", candidate_lines(instances=25, systems=SYSTEMS))
    judgments = read_judgments([path], "concord")
    judgments.report.criterion = "fluency"
    analysis = compute(importing.import_judgments("judged", judgments, at=now()))
    assert analysis.result["suggested"]["guideline"]["name"] == "fluency"


def test_too_few_systems_are_refused(tmp_path, db):
    few = make_set(tmp_path, systems=("a", "b"))
    analysis = compute(few)
    assert analysis.status == "refused" and "needs at least 5 systems" in analysis.reason
    for wrong in ({"stems": "snowball"}, {"guideline": "beauty"}):
        with pytest.raises(RefusedError, match="is not one of"):
            analyses.request_analysis("plane", few, wrong)


def test_the_page_and_its_files(
    ranked,
    client: Client,
    admin_client: Client,
    monkeypatch,
    django_capture_on_commit_callbacks,
):
    sent: list[int] = []
    monkeypatch.setattr("benchmarks.analyses.tasks.compute_analysis.delay", sent.append)
    assert "has not been computed yet" in readable(client.get(PAGE))
    assert client.get(f"{PAGE}plane.csv").status_code == 404
    assert client.post(f"{PAGE}compute").status_code == 302 and not sent
    with django_capture_on_commit_callbacks(execute=True):
        admin_client.post(f"{PAGE}compute", {"guideline": "correctness"})
    assert len(sent) == 1
    analyses.ANALYSES.perform(sent[0])
    query = "?guideline=correctness"
    page = readable(client.get(PAGE + query))
    assert "R² over systems" in page and "Dashed: where the plane predicts it" in page
    assert "style=" not in page
    assert "near 0.0: content is rewarded, verbosity is not punished" in " ".join(page.split())
    lines = client.get(f"{PAGE}plane.csv{query}").content.decode().splitlines()
    assert len(lines) == 1 + 44
    document = json.loads(client.get(f"{PAGE}plane.json{query}").content)
    assert document["parameters"]["seed"] == 1 and len(document["alphas"]) == 11
    svg = ElementTree.fromstring(client.get(f"{PAGE}plane.svg{query}").content)
    outlines = [one.get("class") for one in svg.iter() if one.get("class") in ("best", "predicted")]
    assert "predicted" in outlines
    assert client.get(f"{PAGE}plane.png{query}").content[:4] == b"\x89PNG"
    assert client.get(f"{PAGE}?stems=snowball").status_code == 400
