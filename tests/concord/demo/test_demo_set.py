"""The demo set keeps the promises of its card, concord/demo/README.md.

Plain JSON, with neither Django nor Concord's own readers: the files must hold by themselves.
"""

import hashlib
import json
import math
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

DEMO = Path(__file__).resolve().parents[3] / "concord" / "demo"
CATEGORIES = {"NUMERIC", "PERSON", "LOCATION", "ENTITY", "DESCRIPTION", "REASON", "YES-NO"}
PHENOMENA = {
    "coreference",
    "hyponymy",
    "negation",
    "semantic role",
    "syntax",
    "word sense",
    "other",
}
SHARED_BY_AN_INSTANCE = ("constituent", "split", "passage", "question", "references", "category")

Row = dict[str, Any]


def read_rows(name: str) -> list[Row]:
    text = (DEMO / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def judgments() -> list[Row]:
    return read_rows("judgments.jsonl")


@pytest.fixture(scope="module")
def pairs() -> list[Row]:
    return read_rows("pairs.jsonl")


@pytest.fixture(scope="module")
def card() -> str:
    return (DEMO / "README.md").read_text(encoding="utf-8")


def values_of(row: Row) -> list[int]:
    return [rating["value"] for rating in row["ratings"]]


@pytest.mark.parametrize("name", ["judgments.jsonl", "pairs.jsonl"])
def test_the_files_are_those_whose_checksums_the_card_states(name: str, card: str) -> None:
    digest = hashlib.sha256((DEMO / name).read_bytes()).hexdigest()
    assert f"{digest}  {name}" in card


def test_the_counts_are_those_of_the_card(judgments: list[Row], pairs: list[Row]) -> None:
    instances = {row["instance"]: row for row in judgments}
    assert len(judgments) == 360
    assert len(instances) == 60
    assert len({row["passage"] for row in judgments}) == 40
    assert sum(len(row["ratings"]) for row in judgments) == 2160
    assert sum(row["candidate"] == "" for row in judgments) == 2
    assert sum("short_answer" in row for row in instances.values()) == 43
    assert Counter(row["split"] for row in judgments) == {"train": 138, "dev": 84, "test": 138}
    assert Counter(row["constituent"] for row in instances.values()) == {
        "stories": 20,
        "encyclopedia": 20,
        "everyday": 20,
    }
    assert Counter(row["category"] for row in instances.values()) == {
        "REASON": 13,
        "PERSON": 11,
        "ENTITY": 8,
        "NUMERIC": 8,
        "DESCRIPTION": 7,
        "YES-NO": 7,
        "LOCATION": 6,
    }
    assert len(pairs) == 42


@pytest.mark.parametrize("name", ["judgments.jsonl", "pairs.jsonl"])
def test_no_id_occurs_twice(name: str) -> None:
    ids = [row["id"] for row in read_rows(name)]
    assert len(set(ids)) == len(ids)


def test_every_text_is_a_trimmed_string_and_only_candidates_may_be_empty(
    judgments: list[Row], pairs: list[Row]
) -> None:
    for row in judgments + pairs:
        texts = [row["passage"], row["question"], *row["references"]]
        texts += [row[name] for name in ("short_answer", "candidate1", "candidate2") if name in row]
        assert all(isinstance(text, str) and text for text in texts), row["id"]
        texts += [row["candidate"]] if "candidate" in row else []
        assert all(text == text.strip() for text in texts), row["id"]
        assert 1 <= len(row["references"]) <= 3, row["id"]
        assert len(set(row["references"])) == len(row["references"]), row["id"]


def test_passages_of_the_set_have_60_to_100_words(judgments: list[Row]) -> None:
    lengths = [len(row["passage"].split()) for row in judgments]
    assert 60 <= min(lengths) <= max(lengths) <= 100


def test_every_system_answers_every_instance_once(judgments: list[Row]) -> None:
    answered_by = defaultdict(list)
    for row in judgments:
        answered_by[row["instance"]].append(row["system"])
    systems = ["abstractive", "concise", "extractive", "guessing", "instructed", "retrieval"]
    assert all(sorted(names) == systems for names in answered_by.values())


def test_the_candidates_of_an_instance_agree_on_what_was_asked(judgments: list[Row]) -> None:
    first: dict[str, Row] = {}
    for row in judgments:
        other = first.setdefault(row["instance"], row)
        assert all(row[name] == other[name] for name in SHARED_BY_AN_INSTANCE), row["id"]
        assert row.get("short_answer") == other.get("short_answer"), row["id"]
        assert row["category"] in CATEGORIES


def test_a_passage_lies_in_one_split(judgments: list[Row], pairs: list[Row]) -> None:
    splits = defaultdict(set)
    for row in judgments + pairs:
        splits[row["passage"]].add(row["split"])
    assert all(len(names) == 1 for names in splits.values())
    assert set().union(*splits.values()) == {"train", "dev", "test"}


def test_three_experts_and_three_of_the_crowd_rate_each_candidate(judgments: list[Row]) -> None:
    for row in judgments:
        assert row["scale"] == [1, 5]
        assert all(type(value) is int and 1 <= value <= 5 for value in values_of(row)), row["id"]
        assert len({rating["worker"] for rating in row["ratings"]}) == len(row["ratings"]) == 6
        groups = Counter(rating["group"] for rating in row["ratings"])
        assert groups == {"expert": 3, "crowd": 3}
        assert all(rating["worker"].startswith(rating["group"]) for rating in row["ratings"])
        assert all(rating["simulated"] is True for rating in row["ratings"])


def test_raters_have_many_ratings_each(judgments: list[Row]) -> None:
    ratings = Counter(rating["worker"] for row in judgments for rating in row["ratings"])
    assert sum(worker.startswith("expert") for worker in ratings) == 5
    assert sum(worker.startswith("crowd") for worker in ratings) == 10
    assert min(ratings.values()) == 96


def test_the_candidates_of_a_passage_are_rated_by_the_same_workers(judgments: list[Row]) -> None:
    raters = defaultdict(set)
    for row in judgments:
        raters[row["passage"]].add(tuple(rating["worker"] for rating in row["ratings"]))
    assert all(len(groups) == 1 for groups in raters.values())


def test_the_gold_score_is_the_mean_of_the_experts_ratings(judgments: list[Row]) -> None:
    for row in judgments:
        assert type(row["score"]) is float
        experts = [one["value"] for one in row["ratings"] if one["group"] == "expert"]
        assert row["score"] == math.fsum(experts) / 3, row["id"]


def test_an_empty_candidate_is_rated_one_by_all(judgments: list[Row]) -> None:
    empty = [values_of(row) for row in judgments if row["candidate"] == ""]
    assert empty == [[1] * 6] * 2


def test_every_phenomenon_has_six_pairs(pairs: list[Row]) -> None:
    assert Counter(row["phenomenon"] for row in pairs) == dict.fromkeys(PHENOMENA, 6)


def test_the_first_candidate_of_each_pair_is_the_better_within_the_scale(pairs: list[Row]) -> None:
    for row in pairs:
        assert type(row["score1"]) is type(row["score2"]) is float, row["id"]
        assert 1 <= row["score2"] < row["score1"] <= 5, row["id"]
        assert row["candidate1"] != row["candidate2"], row["id"]


def test_the_pairs_are_of_the_test_split_and_20_reuse_passages_of_the_set(
    judgments: list[Row], pairs: list[Row]
) -> None:
    passages = {row["passage"] for row in judgments}
    assert {row["split"] for row in pairs} == {"test"}
    assert sum(row["passage"] in passages for row in pairs) == 20
