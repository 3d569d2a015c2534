"""One answer tried by the client."""

from __future__ import annotations

import pytest

from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts import tasks
from concord.client import Client, ProblemError


def test_an_answer_is_tried_and_waited_for(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks.score_tryout, "delay", tryouts.perform)
    asked = client.try_answer(
        "Four steps.",
        ["There are four\nsteps."],
        question="How many?",
        metrics=["token-f1", "bleu-1-kpqa"],
    )
    assert asked.references == ["There are four steps."]
    assert [row["metric"] for row in asked.scores] == ["token-f1"]
    done = client.wait(asked, timeout=600)
    assert done.status == "complete" and done.weights
    assert client.try_out(asked.id).scores == done.scores
    with pytest.raises(ProblemError) as refused:
        client.try_answer("a", ["b"], metrics=["nothing"])
    assert refused.value.faults[0].field == "metrics"
