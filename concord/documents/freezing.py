"""Freezing a study to a judgment set."""

from dataclasses import dataclass
from typing import Annotated, TypedDict

from concord.documents.work import WorkDocument


class FrozenDocument(TypedDict):
    """Preview of the set that freezing would make."""

    candidates: int
    pairs: int
    ratings: int
    left_out: Annotated[dict[str, int], "By reason."]
    unrated_pairs: int
    reversed_pairs: Annotated[list[str], "Pairs whose better member is not rated higher."]
    shared: Annotated[int, "Candidates with the ratings of a duplicate."]
    settled: Annotated[int, "Candidates with an adjudicated value."]
    is_simulated: bool
    judged_pairs: Annotated[
        int, "Where raters compare candidates: pairs with choices, also those implied by sets."
    ]
    choices: Annotated[int, "Choices on these pairs."]


@dataclass(frozen=True, kw_only=True)
class FreezingDocument(WorkDocument):
    """A job that freezes a study to a judgment set, or computes a preview."""

    study: str
    aggregation: str
    stages: list[str]
    name: Annotated[str, "The set's name, without a version."]
    is_preview: Annotated[bool, "Whether the job makes no set."]
    preview: Annotated[FrozenDocument | None, "Null until it is computed."]
    judgment_set: Annotated[
        str | None, "NAME@VERSION of the new version. Null if there is none, or none you may see."
    ]
