"""API documents of ratings."""

from __future__ import annotations

from annotation.rating.models import Rating
from concord.documents.conversion import fill
from concord.documents.ratings import StudyRatingDocument


def study_rating_document(row: Rating) -> StudyRatingDocument:
    return fill(
        StudyRatingDocument,
        row,
        candidate=row.candidate.key,
        worker=row.worker.name,
        stage=row.assignment.hit.stage.kind,
    )
