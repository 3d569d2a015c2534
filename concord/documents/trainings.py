"""Trainings and checkpoints of learned metrics."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from concord.documents.base import Document
from concord.documents.work import WorkDocument


@dataclass(frozen=True, kw_only=True)
class TrainingDocument(WorkDocument):
    """A training of a learned metric, which gets the name of the training."""

    name: str
    kind: str
    judgment_sets: Annotated[list[str], "NAME@VERSION of the sets that you may see."]
    step: int
    steps: Annotated[int, "0 until it is known."]
    seconds: float
    checkpoint: Annotated[str | None, "Null until complete."]


@dataclass(frozen=True, kw_only=True)
class TrainingDetailDocument(TrainingDocument):
    """A training with its choices and progress."""

    choices: dict[str, Any]
    curves: Annotated[list[dict[str, Any]], "Reports of progress for each learning rate and seed."]


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
