"""What is public of a judgment set."""

from typing import Annotated, TypedDict


class PublicSetDocument(TypedDict):
    """What everybody sees of the version if it is public."""

    passages: int
    candidates: int
    gold: Annotated[int, "Gold scores that are not hidden."]
    ratings: Annotated[int, "Ratings that are not hidden."]
    raters: int
    pairs: int
    hidden_candidates: int
    hidden_pairs: int
    runs: list[str]
    private_runs: Annotated[int, "Submissions that stay private."]
    provenance: list[str]
    files: list[str]
