"""The demo set shows what Concord's pages show: metrics that differ, on candidates and on pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import concord
from concord.meta.pairs import pair_accuracy
from scorers import Item, Session, parse_metrics

DEMO = Path(__file__).resolve().parents[2] / "concord" / "demo"
METRICS = "exact-match,token-f1,rouge-l,chrf,bleu-4"


@pytest.fixture(scope="module")
def pearson() -> dict[str, float]:
    frame = concord.read_judgments(str(DEMO / "judgments.jsonl"), format="concord")
    assert frame["system"].nunique() >= 5, "the evaluation plane needs five systems"
    board = concord.leaderboard(frame, METRICS.split(",")).frame
    return dict(zip(board["metric"], board["pearson"], strict=True))


def accuracy(metric: str) -> float:
    """The accuracy of a metric on the minimal pairs."""
    text = (DEMO / "pairs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    better, worse = (
        [Item(row[name], tuple(row["references"]), row["question"], row["passage"]) for row in rows]
        for name in ("candidate1", "candidate2")
    )
    (parsed,) = parse_metrics(metric)
    with Session() as session:
        scores = session.score(parsed, [*better, *worse])
    value = pair_accuracy(*np.split(np.asarray(scores), 2)).value
    assert value is not None
    return value


def test_good_metrics_predict_the_gold_scores(pearson: dict[str, float]) -> None:
    for metric in ("token-f1", "rouge-l", "chrf"):
        assert 0.4 < pearson[metric] < 0.8, metric
    assert pearson["exact-match"] < pearson["bleu-4"] < 0.4


@pytest.mark.parametrize("metric", ["rouge-l", "chrf"])
def test_the_minimal_pairs_sort_metrics(metric: str) -> None:
    assert 0.8 < accuracy(metric) < 1
    assert 0.7 < accuracy("token-f1") < accuracy(metric)
    assert accuracy("exact-match") == 0.5, "it scores both candidates of each pair 0"
