"""Sets whose candidates were drawn with unequal probabilities: estimates, and hidden labels."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, importing
from concord.formats import read_judgments
from tests.benchmarks.factories import criteria_lines, published, score_here, write_lines

pytestmark = pytest.mark.django_db


@pytest.fixture
def sampled(tmp_path: Path) -> JudgmentSet:
    """Forty questions with criteria, of which most were drawn in one wave."""
    lines: list[dict[str, Any]] = criteria_lines(40)
    for line in lines:
        number = int(line["instance"][1:])
        was_drawn = number % 4 != 0
        line["sampling"] = {
            "unit": line["instance"],
            "probabilities": [0.6 + 0.01 * (number % 20)],
            "drawn": 1 if was_drawn else None,
        }
        if not was_drawn:
            for name in ("score", "ratings", "criteria", "marks"):
                line.pop(name, None)
    judgments = read_judgments([write_lines(tmp_path / "s.jsonl", lines)], "concord")
    made = published(importing.import_judgments("sampled", judgments, at=now()))
    assert made.has_unequal_sampling
    score_here(made, "token-f1")
    return made


def test_an_estimate_is_of_the_chosen_criterion(sampled: JudgmentSet) -> None:
    means = {}
    for name in ("", "fluency"):
        criteria.choose(sampled, name)
        analysis = analyses.request_analysis("estimate", sampled, {})
        analyses.perform(analysis.pk)
        analysis.refresh_from_db()
        assert analysis.status == "complete", analysis.reason
        means[name] = analysis.result["report"]["systems"]
    for system, row in means["fluency"].items():
        assert row["mean"] > 5 >= means[""][system]["mean"]


def test_figures_of_few_hidden_labels_are_withheld(
    sampled: JudgmentSet, client: Client, settings: Any
) -> None:
    settings.MIN_HIDDEN_LABELS = 1000
    hidden.hide(sampled, "test", at=now())
    assert hidden.withheld_groups(sampled, "system")
    page = client.get("/sets/sampled/estimate/").content.decode()
    assert hidden.TOO_FEW in page.lower()
    assert not sampled.analyses.exists()


def test_one_hidden_label_hides_all_labels_and_probabilities_of_an_export(
    sampled: JudgmentSet, client: Client
) -> None:
    def export() -> list[dict[str, Any]]:
        response = client.get("/sets/sampled/judgments.jsonl")
        content = io.BytesIO(b"".join(response.streaming_content))
        return [json.loads(line) for line in content]

    assert any("sampling" in line for line in export())
    hidden.hide(sampled, "test", at=now())
    kept = {name for line in export() for name in line}
    assert not kept & {"sampling", "score", "ratings", "criteria", "marks"}


def test_the_page_of_criteria_says_why_there_is_no_agreement(
    sampled: JudgmentSet, client: Client
) -> None:
    assert client.get("/sets/sampled/criteria/").status_code == 200
    assert np.isnan(criteria.gold(sampled)).any()
