"""Second looks at a judge's disagreements with people."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document


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
