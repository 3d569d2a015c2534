"""What a submitted endpoint receives of an item."""

from __future__ import annotations

from benchmarks.runs.external.metrics import EndpointMetric
from concord.documents.conversation import Conversation
from core.security.outgoing.calls import CallRules
from scorers import Item, Session


def test_an_endpoint_receives_the_turns_of_conversations(endpoint):
    turns = [{"role": "assistant", "content": "A mile."}, {"role": "user", "content": "Uphill?"}]
    items = [
        Item("No.", ("r",), "Uphill?", conversation=Conversation(messages=turns, judged="reply")),
        Item("a mile", ("r",), "Far?", "The way."),
    ]
    rules = CallRules(frozenset({endpoint.host}), timeout_seconds=30, max_bytes=2**20)
    metric = EndpointMetric("m", "signature", endpoint.url, rules, higher_is_better=True)
    with Session("cpu") as session:
        session.score(metric, items)
    (payload,) = endpoint.payloads
    rows = {row["candidate"]: row for row in payload["items"]}
    assert rows["No."]["messages"] == turns and rows["No."]["question"] == "Uphill?"
    assert "messages" not in rows["a mile"] and rows["a mile"]["passage"] == "The way."
