"""Only the references that can have the best score are encoded, and equal inputs once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scorers import Item, Session, parse_metrics
from scorers.encoders import run_indices
from scorers.learned.model import LearnedModel

QUESTION = "Where did she wait for the boat?"
REFERENCES = (
    "by the old bridge",
    "By The Old Bridge",
    "at the bridge",
    "near a mill",
    "in the harbour office",
    "north of the town",
)
CANDIDATES = ("by the old bridge", "under the bridge", "she ate an apple", "")


@pytest.mark.parametrize("multi_ref", ["max", "joint"])
@pytest.mark.parametrize("name", ["ava(references=max)", "lerc", "lerc(form=unit)"])
def test_the_best_score_is_found_without_encoding_all(
    name: str, multi_ref: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded = 0
    real_scores = LearnedModel.scores

    def scores(self: LearnedModel, rows: Any, *more: Any) -> Any:
        nonlocal encoded
        encoded += len(rows)
        return real_scores(self, rows, *more)

    monkeypatch.setattr(LearnedModel, "scores", scores)
    (metric,) = parse_metrics(name, multi_ref=multi_ref)
    items = [Item(text, REFERENCES, QUESTION) for text in CANDIDATES]
    with Session() as session:
        best = session.score(metric, items)
        assert 0 < encoded < len(CANDIDATES) * len(REFERENCES)
        again = session.score(metric, [*items, Item("at the bridge", REFERENCES, QUESTION)])
        single = [
            max(session.score(metric, [Item(text, (one,), QUESTION)])[0] for one in REFERENCES)
            for text in CANDIDATES
        ]
    np.testing.assert_allclose(best, single, atol=1e-6)
    np.testing.assert_array_equal(again[:-1], best)


def test_equal_inputs_run_once() -> None:
    import torch

    run: list[int] = []

    def forward(batch: list[int]) -> torch.Tensor:
        run.extend(batch)
        return torch.tensor(batch, dtype=torch.float32).unsqueeze(-1)

    outputs = dict(
        run_indices([2, 3, 2, 3], forward, torch.device("cpu"), keys=["a", "b", "a", "c"])
    )
    assert sorted(run) == [0, 1, 3]
    assert {index: float(row[0]) for index, row in outputs.items()} == {0: 0, 1: 1, 2: 0, 3: 3}
