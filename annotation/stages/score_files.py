"""Uploaded files of metric scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from concord.formats import Limits
from concord.formats.scores import read_scores
from core.rest.uploads import on_disk
from core.security.declarations import MAX_LINE_BYTES, UploadLimits

if TYPE_CHECKING:
    import pandas as pd


def file_limits() -> UploadLimits:
    """The limits of a file of scores, one candidate a line."""
    max_lines = Limits().max_rows
    return UploadLimits(settings.SUBMISSION_MAX_BYTES, max_lines, MAX_LINE_BYTES, zip=True)


def read_upload(upload: UploadedFile[bytes]) -> pd.DataFrame:
    """The scores, as `concord.formats.scores.read_scores` reads them.

    Raises FormatError, and RefusedError above SUBMISSION_MAX_BYTES.
    """
    with on_disk([upload], max_bytes=settings.SUBMISSION_MAX_BYTES) as (path,):
        return read_scores(path)
