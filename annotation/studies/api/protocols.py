"""A protocol in the API, with the bounds of the library's dataclasses."""

from __future__ import annotations

from concord.protocols import Protocol
from core.rest.derived import DataclassSerializer


class ProtocolDocument(DataclassSerializer):
    """The whole protocol of a study. Money is in cents, texts are Markdown."""

    dataclass = Protocol


def protocol_of(content: dict[str, object]) -> Protocol:
    """The protocol of a validated body. Raises ProtocolError."""
    return Protocol.from_json(content)


EXAMPLE = {
    "scale": [{"value": 1, "label": "wrong"}, {"value": 2, "label": "right"}],
    "question": "Is the answer right?",
    "rating_rules": [{"ratings": 3}],
    "pay": {"cents_per_full_hit": 40},
}
