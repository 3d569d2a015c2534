"""The measured speed of a metric does not depend on what was scored before."""

from __future__ import annotations

import time

import pandas as pd
import pytest

import concord
import scorers
from concord.metrics import Item
from scorers.speed import MAX_ITEMS, MIN_ITEMS, items_per_second

# Two metrics of each row do about the same work; the first of them had waited for both.
ALIKE = ["google-rouge-1,google-rouge-2", "bertscore-p,bertscore-r", "bleu-1,bleu-2"]


@pytest.mark.parametrize("names", ALIKE)
def test_metrics_of_the_same_work_have_the_same_speed_in_any_order(names: str) -> None:
    lines = [
        {
            "id": f"c{number}",
            "question": "What stood there?",
            "references": [f"a boat by the river {number // 3}"],
            "candidate": f"the boat {number} stood there in the evening",
            "score": 1 + number % 5,
        }
        for number in range(60)
    ]
    frame = pd.DataFrame(lines)
    for order in (names, ",".join(reversed(names.split(",")))):
        described = concord.score(frame, order).attrs["metrics"]
        first, second = (row["items_per_second"] for row in described.values())
        # Before, the first took 40 to 300 times as long: it started the model or the package.
        assert 1 / 8 < first / second < 8, (order, first, second)


def test_every_measured_text_is_new_and_the_items_stay() -> None:
    items = [Item("an answer", ("a reference", "another"), "A question?", "A passage.")]
    seen: list[list[Item]] = []
    speed = items_per_second(lambda sample: seen.append(list(sample)), items)
    assert speed > 0
    assert [len(sample) for sample in seen] == [1, MIN_ITEMS, MAX_ITEMS]
    texts = [item.candidate for sample in seen for item in sample]
    assert len(set(texts)) == len(texts)
    for item in seen[-1]:
        assert item.candidate.startswith("an answer ") and len(item.references) == 2
        assert (item.question, item.passage) == ("A question?", "A passage.")
    assert items == [Item("an answer", ("a reference", "another"), "A question?", "A passage.")]


def test_a_slow_metric_is_measured_on_few_items() -> None:
    (metric,) = scorers.parse_metrics("token-f1")
    sizes = []

    def score(sample: list[Item]) -> None:
        sizes.append(len(sample))
        time.sleep(0.1 * len(sample))

    assert 2 < items_per_second(score, [Item("a", ("b",))]) < 10.1  # sleep may take longer
    assert sizes == [1, MIN_ITEMS]
    with scorers.Session() as session:
        assert session.items_per_second(metric, [Item("a", ("b",))]) > 100
