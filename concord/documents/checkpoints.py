"""Checkpoints of learned metrics."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from concord.documents.base import Document


@dataclass(frozen=True, kw_only=True)
class CheckpointDocument(Document):
    """A checkpoint of a learned metric, with its card."""

    name: str
    kind: str
    weights_sha256: str
    created_at: datetime
    description: Annotated[
        str, "One sentence; empty for a keyphrase predictor without a description."
    ]
    card: Annotated[
        dict[str, Any], "`known_failures` are published examples that it scores wrongly."
    ]
