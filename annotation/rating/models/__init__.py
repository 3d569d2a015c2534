"""Models of rating: workers, HITs, assignments, ratings, messages."""

from annotation.rating.models.collection import (
    Assignment,
    Hit,
    HitCandidate,
    Rating,
    RatingChange,
    RatingDraft,
)
from annotation.rating.models.people import Message, Participation, RetiredLookupKey, Worker

__all__ = [
    "Assignment",
    "Hit",
    "HitCandidate",
    "Message",
    "Participation",
    "Rating",
    "RatingChange",
    "RatingDraft",
    "RetiredLookupKey",
    "Worker",
]
