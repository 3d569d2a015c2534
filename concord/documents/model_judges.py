"""Language models that judge a set, and second looks at their disagreements."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
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


class LookedAgainDocument(TypedDict):
    """A candidate of the second look; `again` is null before the stage is closed."""

    candidate: str
    grade: Annotated[float, "The judge's."]
    first: Annotated[float, "People's score before."]
    again: Annotated[float | None, "The mean of the new ratings."]
    ratings: Annotated[int, "New ratings so far used."]


class ComparisonDocument(TypedDict):
    """Who was nearer to the new ratings."""

    n: int
    share: Annotated[
        dict[str, Any],
        "The share of the distance from people's first scores to the judge's grades that "
        "the new ratings cover: 0, people were right; 1, the judge was.",
    ]
    judge: Annotated[int, "Candidates on which the judge was nearer."]
    people: int
    ties: int
    nearer: Literal["judge", "people", "neither"]


@dataclass(frozen=True, kw_only=True)
class SecondLookDocument(Document):
    """A second look; `comparison` and `candidates` are null until its stage is closed."""

    run: int
    study: str
    stage: str
    status: str
    ratings: int
    signature: Annotated[str, "The judge's, fixed before people looked."]
    created_at: datetime
    comparison: ComparisonDocument | None
    candidates: list[LookedAgainDocument] | None
