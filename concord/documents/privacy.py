"""Erased workers, and how long a study stores the ids of workers."""

from typing import Annotated, TypedDict


class RetentionDocument(TypedDict):
    """`days` is the study's own retention period, null for the site's; `effective_days` applies.

    The other fields are numbers of workers."""

    days: int | None
    effective_days: Annotated[int, "Days after a worker's last work."]
    with_id: Annotated[int, "Workers whose id is stored."]
    id_removed: Annotated[int, "Workers whose retention period ended."]
    erased: int


class ErasedDocument(TypedDict):
    """What was removed, as counts, and what is kept: `name` is the anonymous worker's."""

    name: str
    messages: int
    comments: int
    documents: Annotated[int, "Submissions reported by the platform."]
    ratings_removed: int
    ratings_kept: int
    frozen: Annotated[list[str], "Judgment sets frozen before; they do not change."]
    sentence: str
