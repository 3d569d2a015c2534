"""Try-outs: one answer that a person enters, and its scores."""

from __future__ import annotations

from typing import Any

from concord.documents.tryouts import ScoreDocument, TextsRow
from core.jobs.models import Job, JsonValue


class TryOut(Job):
    """One answer to score, and the scores so far. Its progress is in metrics.

    metrics: names. scores: a row for each finished metric. weights: the word weights, once
    computed. Rows are deleted after a day.
    """

    RESET = {}

    texts = JsonValue[TextsRow]("parameters")
    metrics = JsonValue[list[str]]("parameters")
    scores = JsonValue[list[ScoreDocument]]("result")
    weights = JsonValue[list[Any] | None]("result")

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"the try-out {self.pk}"
