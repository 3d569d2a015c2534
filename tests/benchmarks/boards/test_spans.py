"""Error spans: the page of an answer, metrics by severity, systems and raters."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kind import MAX_SECONDS_IN_PAGE
from benchmarks.analyses.kinds import spans
from benchmarks.analyses.kinds.spans import SpansAnalysis
from benchmarks.analyses.services import work
from benchmarks.errors.marked_text import marked_text
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, importing
from concord.formats import read_judgments
from concord.formats.records import Span
from concord.meta import pearson
from core.accounts.roles import Role
from tests.benchmarks.factories import (
    ESA_ROW,
    add_member,
    candidate_lines,
    make_set,
    published,
    score_here,
    write_lines,
)
from tests.html import readable

pytestmark = pytest.mark.django_db
SEVERITIES = ("minor", "major", "critical")


def marked_lines() -> list[dict[str, object]]:
    """Every candidate is marked; the errors of wrong answers are worse; one is undecided."""
    lines = candidate_lines(12)
    for number, line in enumerate(lines):
        wrong = line["score"] < 4
        found = [{"start": 0, "end": 2, "severity": SEVERITIES[number % 3]}] if wrong else []
        if number == 1:
            found = [{"start": None, "end": None, "severity": None}]
        line["marks"] = [
            {"worker": "m1", "group": "expert", "spans": found},
            {"worker": "m2", "group": "expert", "spans": found[:1]},
        ]
    return lines


@pytest.fixture
def marked(tmp_path: Path) -> JudgmentSet:
    read = read_judgments([write_lines(tmp_path / "m.jsonl", marked_lines())], "concord")
    made = published(importing.import_judgments("marked", read, at=now()))
    score_here(made, "token-f1,ter")
    return made


def test_a_visitor_gets_a_result_that_takes_longer_than_expected(
    marked: JudgmentSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "HEARTBEAT_SECONDS", 0.0)
    analysis = analyses.find_or_compute("spans", marked, {}, store=False)
    assert analysis is not None and analysis.pk is None
    assert analysis.result["answers"]


def test_the_cost_grows_with_the_pairs_of_raters(tmp_path: Path) -> None:
    lines = candidate_lines(12)
    for line in lines:
        line["marks"] = [{"worker": f"m{at}", "spans": []} for at in range(30)]
    read = read_judgments([write_lines(tmp_path / "m.jsonl", lines)], "concord")
    many = importing.import_judgments("many", read, at=now())
    pairs = many.n_candidates * 30 * 29 / 2
    parameters = spans.KIND.read({})
    assert spans.cost(many, 0, parameters) > 3e-4 * pairs > MAX_SECONDS_IN_PAGE


def result_of(judgment_set: JudgmentSet, **parameters: Any) -> SpansAnalysis:
    return cast(SpansAnalysis, analyses.result("spans", judgment_set, parameters))


def expected_scores(costs: dict[str, float]) -> tuple[np.ndarray, list[str]]:
    """The MQM score and the worst severity of each answer, by hand; NaN and "" if undecided."""
    scores, worst = [], []
    for line in marked_lines():
        own = [span["severity"] for span in line["marks"][0]["spans"]]
        scores.append(np.nan if None in own else -sum(costs[one] for one in own))
        worst.append("" if None in own else (own[0] if own else "none"))
    return np.array(scores), worst


def test_a_metric_is_correlated_with_the_mqm_score(marked: JudgmentSet) -> None:
    mqm, worst = expected_scores({"minor": 1, "major": 5, "critical": 10})
    result = result_of(marked)
    assert result.severities == ["none", *SEVERITIES]
    assert result.answers == [worst.count(one) for one in result.severities]
    rows = {row.metric: row for row in result.metrics}
    decided = np.isfinite(mqm)
    scores = marked.runs.defer(None).get(metric="token-f1").score_array
    expected = pearson(scores[decided], mqm[decided]).value
    figure = rows["token-f1"].pearson
    assert figure.value == pytest.approx(expected)
    assert figure.low < expected < figure.high
    assert rows["ter"].pearson.value > 0  # lower is better: turned
    for severity, mean in zip(result.severities, rows["token-f1"].means, strict=True):
        own = [score for score, one in zip(scores, worst, strict=False) if one == severity]
        assert mean == (pytest.approx(np.mean(own)) if own else None)
    assert [mean is None for mean in rows["ter"].means].count(True) < 3


def test_weights_change_scores_and_the_signature(marked: JudgmentSet, client: Client) -> None:
    page = str(readable(client.get("/sets/marked/spans/", follow=True)))
    assert "mqm|minor:1|major:5|critical:10|punctuation:0.1" in page
    assert "Which metric falls with severity?" in page and "token-f1" in page
    page = str(readable(client.get("/sets/marked/spans/?weights=critical=25", follow=True)))
    assert "critical:25" in page
    mqm, _ = expected_scores({"minor": 1, "major": 5, "critical": 25})
    decided = np.isfinite(mqm)
    scores = marked.runs.defer(None).get(metric="token-f1").score_array
    row = next(
        one for one in result_of(marked, weights="critical=25").metrics if one.metric == "token-f1"
    )
    assert row.pearson.value == pytest.approx(pearson(scores[decided], mqm[decided]).value)
    assert client.get("/sets/marked/spans/?weights=grave=1", follow=True).status_code == 400


def test_a_visitor_stores_the_figures_of_the_default_weights_only(
    marked: JudgmentSet, client: Client
) -> None:
    for weights in ("critical=25", "critical=26", "", "major=5", "critical=10.0"):
        assert (
            client.get("/sets/marked/spans/", {"weights": weights}, follow=True).status_code == 200
        )
    (stored,) = marked.analyses.all()
    assert stored.kind == "spans" and stored.status == "complete"
    assert stored.parameters["weights"] == "minor=1,major=5,critical=10,punctuation=0.1"


def test_a_worker_computes_the_figures_of_a_large_set(
    marked: JudgmentSet, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(User.objects.create_user("reader"))
    monkeypatch.setattr(analyses, "MAX_SECONDS_IN_PAGE", 0)
    page = str(readable(client.get("/sets/marked/spans/?weights=critical=25", follow=True)))
    assert "Editors of the set can start the computation" in page
    assert not marked.analyses.exists()
    page = str(readable(client.get("/sets/marked/spans/", follow=True)))
    assert "Being computed" in page and "Signature" not in page
    (queued,) = marked.analyses.all()
    analyses.ANALYSES.perform(queued.pk)
    page = str(readable(client.get("/sets/marked/spans/", follow=True)))
    assert "Being computed" not in page and "token-f1" in page
    rosa = User.objects.create_user("rosa")
    add_member("marked", rosa, Role.EDITOR)
    client.force_login(rosa)
    answer = client.post("/sets/marked/spans/compute", {"weights": "critical=25"})
    assert answer.url == (
        "/sets/marked@1/spans/?weights=minor%3D1%2Cmajor%3D5%2Ccritical%3D25%2Cpunctuation%3D0.1"
    )
    weights = [one.parameters["weights"] for one in marked.analyses.all()]
    assert weights[1] == "minor=1,major=5,critical=25,punctuation=0.1"


def test_raters_agree_and_systems_are_ranked(marked: JudgmentSet) -> None:
    report = result_of(marked).report
    assert report["agreement"]["answers"] == 24 and report["agreement"]["f1"]["value"] == 1.0
    assert set(report["systems"]) == {"a", "b"}
    assert sum(row["undecided"] for row in report["systems"].values()) == 2


def test_a_set_with_marks_only_opens_with_its_systems(tmp_path: Path, client: Client) -> None:
    lines = candidate_lines(12)
    for number, line in enumerate(lines):
        del line["score"]
        line["system"] = "ab"[number % 2]
        spans = [{"start": 0, "end": 2, "severity": None}] * (1 + number % 2)
        line["marks"] = [{"worker": name, "spans": spans} for name in ("m1", "m2")]
    read = read_judgments([write_lines(tmp_path / "m.jsonl", lines)], "concord")
    made = published(importing.import_judgments("marks-only", read, at=now()))
    page = readable_text(client.get(made.get_absolute_url()).content.decode())
    assert "Nobody has judged" not in page
    assert "Which system makes the fewest errors? a 1.00" in page
    assert "has fewest of 2 systems, and the last is b 2.00" in page
    report = result_of(made).report
    assert report["systems"]["a"]["mqm"]["value"] is None, "no error has a severity"


def test_an_answer_is_shown_with_its_spans(tmp_path: Path, client: Client) -> None:
    lines = candidate_lines(2)
    text = "Ein <b>Haus</b> 🛶 steht  da"
    found = [
        {"start": 4, "end": 15, "severity": "minor", "categories": ["Style"]},
        {"start": 7, "end": 17, "severity": "critical"},
        {"start": None, "end": None, "severity": "major"},
    ]
    lines[0] |= {"candidate": text, "marks": [{"worker": "m1", "spans": found}]}
    read = read_judgments([write_lines(tmp_path / "m.jsonl", lines)], "concord")
    made = published(importing.import_judgments("one", read, at=now()))
    page = client.get(reverse("candidate", args=[made, lines[0]["id"]])).content.decode()
    section = page.partition('class="marked"')[2].partition("</section>")[0]
    paragraph = section.partition("<p")[2].partition("</p>")[0]
    paragraph = re.sub(r"<sup.*?</sup>", "", paragraph.partition(">")[2], flags=re.DOTALL)
    shown = html.unescape(re.sub(r"<[^>]*>", "", paragraph))
    assert shown.strip("\n ") == text  # no space is added or lost
    assert 'class="span-critical"' in section and "1 minor" in readable_text(section)
    assert "something is missing" in section and "Style" in section
    hidden.hide(made, "", at=now())
    page = client.get(reverse("candidate", args=[made, lines[0]["id"]])).content.decode()
    assert 'class="marked"' not in page


def readable_text(section: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", section).split())


def test_overlapping_spans_are_cut_into_pieces() -> None:
    given = [Span(2, 6, "minor"), Span(0, 4, "major"), Span(None, None, None)]
    shown = marked_text("abcdef", given)
    assert [(one.text, one.severity) for one in shown.pieces] == [
        ("ab", "major"),
        ("cd", "major"),
        ("ef", "minor"),
    ]
    assert [[end.number for end in one.ends] for one in shown.pieces] == [[], [1], [2]]
    assert [one.is_missing for one in shown.spans] == [False, False, True]
    without_text = marked_text("", [Span(2, 6, "minor")])
    assert without_text.pieces == [] and without_text.spans[0].text == ""


def test_hidden_labels_hide_figures(marked: JudgmentSet, client: Client) -> None:
    client.get("/sets/marked/spans/", follow=True)
    hidden.hide(marked, "", at=now())
    (stored,) = marked.analyses.all()
    assert client.get(f"/api/v1/sets/marked/analyses/{stored.pk}").status_code == 422
    page = str(readable(client.get("/sets/marked/spans/", follow=True)))
    assert "Labels of this set are hidden" in page and "Signature" not in page


def test_a_set_without_marks_says_so(tmp_path: Path, client: Client) -> None:
    make_set(tmp_path)
    assert "Nobody marked errors" in client.get("/sets/small/spans/", follow=True).content.decode()


def test_a_set_of_esa_is_exported_and_imported_as_the_same(tmp_path: Path, manage) -> None:
    (tmp_path / "esa.csv").write_text(ESA_ROW)
    answer = manage("import_judgments", tmp_path / "esa.csv", "--format", "esa", "--name", "esa")
    assert "Error spans: 1" in answer.stdout and "have no texts" in answer.stdout
    out = tmp_path / "out.jsonl"
    manage("export_judgments", "esa", out)
    assert json.loads(out.read_text())["references"] == []
    manage("import_judgments", out, "--name", "again")
    first, second = JudgmentSet.objects.get(name="esa"), JudgmentSet.objects.get(name="again")
    assert first.content_hash == second.content_hash
