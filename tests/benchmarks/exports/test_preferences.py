"""Pairs for preference training: from choices, minimal pairs and scores."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils.timezone import now

from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from concord.formats.preference_writer import preference_rows
from concord.formats.records import ChoiceRecord, InstanceRecord, PairRecord
from tests.benchmarks.factories import (
    make_criteria_set,
    make_judged_pairs_set,
    make_set,
    published,
)
from tests.html import readable

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(tmp_path: Path) -> JudgmentSet:
    return make_judged_pairs_set(tmp_path)


def rows(content: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def downloaded(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(path, query)
    return rows(b"".join(answer.streaming_content).decode())


def test_the_majority_is_chosen_and_pairs_without_one_are_left_out(
    judged: JudgmentSet, tmp_path: Path, manage: Any
) -> None:
    answer = manage("export_preferences", "judged", tmp_path / "out.jsonl")
    assert "4 pairs written" in answer.stdout
    first = rows((tmp_path / "out.jsonl").read_text())[0]
    assert first == {
        "id": "j0",
        "prompt": "The red 0 stood by the tall.\n\nWhat stood by the tall?",
        "chosen": "the red 0 b",
        "rejected": "a tall",
        "margin": pytest.approx(2 / 3),
        "chosen_system": "b",
        "rejected_system": "a",
    }


def test_ties_and_scores_by_hand() -> None:
    instance = InstanceRecord("i", (), question="Why?")

    def pair(key: str, *choices: Any, scores: Any = (None, None), texts: Any = "xy") -> PairRecord:
        given = tuple(ChoiceRecord(f"w{k}", choice) for k, choice in enumerate(choices))
        return PairRecord(key, instance, texts[0], scores[0], texts[1], scores[1], choices=given)

    found = list(
        preference_rows(
            [
                pair("a", 2, 2, 1),
                pair("tied", 1, 2),
                pair("b", 1, "tie"),
                pair("c", scores=(1.0, 3.5)),
                pair("unscored"),
                pair("same", 1, texts="xx"),
            ]
        )
    )
    assert [(row["id"], row["chosen"], row["margin"]) for row in found] == [
        ("a", "y", pytest.approx(1 / 3)),
        ("b", "x", 0.5),
        ("c", "y", 2.5),
    ]
    assert found[0]["prompt"] == "Why?" and "chosen_system" not in found[0]


def test_scores_and_minimal_pairs_are_sources_too(judged: JudgmentSet, client: Client) -> None:
    pairs = downloaded(client, "/sets/judged/preferences.jsonl", by="pairs")
    assert [row["id"] for row in pairs] == ["p0", "p1", "p2", "p3"]
    assert all(row["margin"] == 3 for row in pairs)
    by_scores = downloaded(client, "/api/v1/sets/judged/preferences.jsonl", by="scores")
    gold = dict(judged.candidates.values_list("text", "gold"))
    for row in by_scores:
        assert gold[row["chosen"]] - gold[row["rejected"]] == row["margin"] > 0
    wide = downloaded(client, "/sets/judged/preferences.jsonl", by="scores", min_gap=2.9)
    assert 0 < len(wide) < len(by_scores) and all(row["margin"] >= 2.9 for row in wide)


def test_scores_may_be_on_a_criterion(tmp_path: Path, client: Client) -> None:
    made = make_criteria_set(tmp_path)
    path = "/api/v1/sets/several/preferences.jsonl"
    on_fluency = downloaded(client, path, by="scores", criterion="fluency")
    gold = made.criteria.defer(None).get(name="fluency").gold_array
    positions = dict(made.candidates.values_list("text", "position"))
    for row in on_fluency:
        both = (gold[positions[row[name]]] for name in ("chosen", "rejected"))
        assert next(both) - next(both) == row["margin"]
    assert client.get(path, {"by": "scores", "criterion": "no"}).status_code == 422


def test_what_is_hidden_or_missing_is_refused(
    judged: JudgmentSet, tmp_path: Path, client: Client
) -> None:
    hidden.hide(judged, "", at=now())
    for source in ("choices", "pairs", "scores"):
        query = {"by": source}
        assert client.get("/sets/judged/preferences.jsonl", query).status_code == 409
        answer = client.get("/api/v1/sets/judged/preferences.jsonl", query)
        assert answer.status_code == 409
    make_set(tmp_path)
    answer = client.get("/api/v1/sets/small/preferences.jsonl")
    assert "Other sources: pairs, scores" in answer.json()["detail"]
    assert client.get("/sets/small/preferences.jsonl?by=no").status_code == 400


def test_the_page_offers_the_sources_that_the_set_has(
    judged: JudgmentSet, tmp_path: Path, client: Client
) -> None:
    def form_of(name: str) -> str:
        page = str(readable(client.get(f"/sets/{name}/files/")))
        return page.partition('preferences.jsonl"')[2].partition("</form>")[0]

    everything = form_of("judged")
    for source in ("choices", "pairs", "scores"):
        assert f'<option value="{source}">' in everything
    assert 'name="criterion"' not in everything
    published(make_criteria_set(tmp_path))
    of_scores = form_of("several")
    assert '<option value="choices">' not in of_scores and 'value="fluency"' in of_scores
    query = {"by": "scores", "min_gap": "0.5", "criterion": "fluency"}
    assert downloaded(client, "/sets/several/preferences.jsonl", **query)
