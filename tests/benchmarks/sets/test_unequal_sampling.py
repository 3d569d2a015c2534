"""Sets whose candidates were drawn with unequal probabilities: estimates, and hidden labels."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.runs.services import releasing
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden, importing
from concord.formats import read_judgments
from tests.benchmarks.factories import criteria_lines, published, score_here, write_lines
from tests.html import readable

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
        analyses.ANALYSES.perform(analysis.pk)
        analysis.refresh_from_db()
        assert analysis.status == "complete", analysis.reason
        means[name] = analysis.result["report"]["systems"]
    for system, row in means["fluency"].items():
        assert row["mean"] > 5 >= means[""][system]["mean"]


def test_the_board_of_a_drawn_set_has_weighted_figures(
    sampled: JudgmentSet, client: Client
) -> None:
    row = client.get("/sets/sampled/leaderboard.json?criterion=fluency").json()["rows"][0]
    assert row["pearson"]["value"] is not None
    out = io.StringIO()
    call_command("leaderboard", "sampled", criterion="fluency", format="json", stdout=out)
    assert json.loads(out.getvalue())["rows"][0]["pearson"] == row["pearson"]


def unrated(tmp_path: Path, waves: tuple[int, ...]) -> JudgmentSet:
    """Thirty questions in two waves of unequal probabilities, where one draw of each of these
    waves has no rating."""
    lines = criteria_lines(30)
    for line in lines:
        number = int(line["instance"][1:])
        wave = 1 if number < 20 else 2
        line["sampling"] = {
            "unit": line["instance"],
            "probabilities": [0.5 + 0.01 * number, 0.6][:wave],
            "drawn": wave,
        }
    for wave in waves:
        line = next(line for line in lines if line["sampling"]["drawn"] == wave)
        for name in ("score", "ratings", "criteria", "marks"):
            line.pop(name, None)
    judgments = read_judgments([write_lines(tmp_path / "u.jsonl", lines)], "concord")
    made = published(importing.import_judgments("unrated", judgments, at=now()))
    score_here(made, "token-f1")
    return made


def test_a_draw_without_rating_in_the_first_wave_is_the_reason(
    tmp_path: Path, client: Client
) -> None:
    unrated(tmp_path, (1,))
    board = client.get("/sets/unrated/leaderboard.json").json()
    assert (board["weighted"], board["unrated_draws"]) == (False, 1)
    (row,) = board["rows"]
    assert row["pearson"]["value"] is None
    assert "candidates that the first wave drew have no human score" in row["pearson"]["reason"]
    page = readable(client.get("/sets/unrated/leaderboard/"))
    assert "1 drawn candidate has no human score" in page and "by adjudication" in page


def test_a_draw_without_rating_in_a_later_wave_leaves_this_wave_out(
    tmp_path: Path, client: Client, settings: Any
) -> None:
    judgment_set = unrated(tmp_path, (2,))
    board = client.get("/sets/unrated/leaderboard.json").json()
    assert (board["weighted"], board["unrated_draws"]) == (True, 1)
    (row,) = board["rows"]
    in_first = judgment_set.candidates.filter(sampling__drawn=1).count()
    assert row["n"] == in_first and row["pearson"]["value"] is not None
    # Labels of the wave that is left out do not protect those of the others.
    settings.MIN_HIDDEN_LABELS = in_first + 1
    hidden.hide(judgment_set, "", at=now())
    (row,) = client.get("/sets/unrated/leaderboard.json").json()["rows"]
    assert row["pearson"]["reason"] == releasing.TOO_FEW


def test_figures_of_hidden_labels_are_withheld(sampled: JudgmentSet, client: Client) -> None:
    hidden.hide(sampled, "test", at=now())
    page = client.get("/sets/sampled/estimate/", follow=True).content.decode()
    assert releasing.WITHHELD in page.lower()
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
