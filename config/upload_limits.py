"""Upload limits of views that accept files. For all others, see core.security.uploads."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from annotation.crowds.services.results import FILE_BYTES
from annotation.studies.csv_intake import MAX_ROWS
from annotation.studies.services.uploads import UPLOAD_BYTES
from concord.formats.limits import Limits as FileLimits
from core.security.uploads import UploadLimits, UploadTable

# A row of a CSV may have several lines, because quoted cells may contain line breaks.
MAX_LINES_PER_ROW = 20
# One row with all its texts and references.
MAX_LINE_BYTES = 4 * 1024 * 1024
# A file may be one JSON value on one line, so these have no limit of line length.
FORMAT_LIMITS = FileLimits()
ZIP_OVERHEAD = 10_000_000


def candidates() -> UploadLimits:
    return UploadLimits(UPLOAD_BYTES, MAX_ROWS * MAX_LINES_PER_ROW, MAX_LINE_BYTES)


def crowd_file() -> UploadLimits:
    return UploadLimits(FILE_BYTES, MAX_ROWS * MAX_LINES_PER_ROW, MAX_LINE_BYTES)


def scores() -> UploadLimits:
    return UploadLimits(settings.SUBMISSION_MAX_BYTES, FORMAT_LIMITS.max_rows, MAX_LINE_BYTES)


def judgments() -> UploadLimits:
    return UploadLimits(settings.UPLOAD_MAX_BYTES, FORMAT_LIMITS.max_rows * MAX_LINES_PER_ROW)


def checkpoint() -> UploadLimits:
    return UploadLimits(settings.CHECKPOINT_MAX_BYTES + ZIP_OVERHEAD, archives=True)


BY_NAME: dict[str, Callable[[], UploadLimits]] = {
    "study-upload-file": candidates,
    "study-crowd-file": crowd_file,
    "submit": scores,
    "add-scores": scores,
    "start-training": judgments,
    "set-imports": judgments,
    "import-checkpoint": checkpoint,
    "api-trainings": judgments,
    "api-checkpoints": checkpoint,
    "api-uploads": candidates,
    "api-crowd-results": crowd_file,
    "api-submissions": scores,
    "api-submission-scores": scores,
    "api-sets": judgments,
    "api-versions": judgments,
    "api-import-pairs": judgments,
}
TABLE = UploadTable(BY_NAME)
