"""Documents of model judges and of second looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from concord.client.documents import Document, Work


@dataclass(frozen=True, kw_only=True)
class ModelJudge(Work):
    """A language model that judges a set. quote: what is still to be sent at most, None once it is
    complete. comparison: with the version before, on held-out candidates. submission: the number of
    the submission made of its answers."""

    judgment_set: str
    name: str
    endpoint: str
    model: str
    answered_model: str
    template: str
    template_hash: str
    scale: Sequence[int]
    shots: int
    probes: Sequence[str]
    json_schema: bool
    previous: int | None
    comparison: Mapping[str, Any] | None
    confirmed_at: datetime | None
    answers: int
    max_tokens: int
    spent_tokens: int
    max_cost: float | None
    cost: float
    quote: Mapping[str, Any] | None
    submission: int | None

    @property
    def is_draft(self) -> bool:
        """Whether nothing has been sent yet: `confirm_judge` sends what `quote` says."""
        return self.confirmed_at is None

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing to wait for: it has ended, or is a draft."""
        return self.is_draft or super().has_ended


@dataclass(frozen=True, kw_only=True)
class SecondLook(Document):
    """New ratings of a judge's disagreements. comparison, candidates: None until the stage has
    closed."""

    run: int
    study: str
    stage: str
    status: str
    ratings: int
    signature: str
    created_at: datetime
    comparison: Mapping[str, Any] | None
    candidates: Sequence[Mapping[str, Any]] | None
