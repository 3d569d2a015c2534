"""Language models that judge a set."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.work import WorkDocument


class JudgeQuoteDocument(TypedDict):
    """What the missing answers need at most, repeated requests apart."""

    host: str
    fields_sent: list[str]
    examples: Annotated[
        int, "Candidates of the train split that go with people's scores into every request."
    ]
    requests: int
    probes: Annotated[int, "Of the requests, those of probes."]
    tokens: int
    cost: float


@dataclass(frozen=True, kw_only=True)
class ModelJudgeDocument(WorkDocument):
    """A model that judges a set. Its key is in no answer."""

    judgment_set: Annotated[str, "NAME@VERSION."]
    name: str
    endpoint: Annotated[str, "Empty for a model on the site, which earlier versions could ask."]
    model: str
    answered_model: Annotated[str, "The version as the server names it."]
    template: str
    template_hash: str
    scale: list[int]
    judged: Annotated[
        Literal["candidates", "minimal pairs", "judged pairs"], "What it is asked about."
    ]
    shots: int
    train_split: str
    seed: int
    probes: list[str]
    json_schema: Annotated[
        bool, "Whether it is asked for answers by JSON schema; false once the server refused."
    ]
    previous: Annotated[int | None, "The judge of which it is a new version."]
    comparison: Annotated[
        dict[str, Any] | None,
        "With the version before, on held-out candidates; null before it is complete.",
    ]
    confirmed_at: Annotated[datetime | None, "Null: nothing has been sent yet."]
    answers: int
    max_tokens: int
    spent_tokens: int
    max_cost: float | None
    cost: float
    quote: Annotated[JudgeQuoteDocument | None, "Null once it is complete."]
    submission: Annotated[int | None, "The submission of its answers."]

    @property
    def is_draft(self) -> bool:
        """Whether nothing has been sent yet."""
        return self.confirmed_at is None

    @property
    def has_ended(self) -> bool:
        """Whether there is nothing to wait for: it has ended, or is a draft."""
        return self.is_draft or super().has_ended
