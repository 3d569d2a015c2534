"""Upload limits of views that accept files. For all others, see core.security.uploads."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from annotation.crowds.services.panel_files import FILE_BYTES
from annotation.studies.intake import MAX_ROWS
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
    return UploadLimits(UPLOAD_BYTES, MAX_ROWS * MAX_LINES_PER_ROW, MAX_LINE_BYTES, zip=True)


def crowd_file() -> UploadLimits:
    return UploadLimits(FILE_BYTES, MAX_ROWS * MAX_LINES_PER_ROW, MAX_LINE_BYTES)


def scores() -> UploadLimits:
    max_bytes, max_lines = settings.SUBMISSION_MAX_BYTES, FORMAT_LIMITS.max_rows
    return UploadLimits(max_bytes, max_lines, MAX_LINE_BYTES, zip=True)


def judgments() -> UploadLimits:
    max_lines = FORMAT_LIMITS.max_rows * MAX_LINES_PER_ROW
    return UploadLimits(settings.UPLOAD_MAX_BYTES, max_lines, zip=True)


def checkpoint() -> UploadLimits:
    return UploadLimits(settings.CHECKPOINT_MAX_BYTES + ZIP_OVERHEAD, archives=True)


BY_NAME: dict[str, Callable[[], UploadLimits]] = {
    "study-upload-file": candidates,
    "study-new": candidates,
    "study-crowd-file": crowd_file,
    "study-sampling": scores,
    "submit": scores,
    "set-imports": judgments,
    "import-checkpoint": checkpoint,
    "api-checkpoints": checkpoint,
    "api-uploads": candidates,
    "api-crowd-results": crowd_file,
    "api-sampling": scores,
    "api-submissions": scores,
    "api-sets": judgments,
    "api-versions": judgments,
}
TABLE = UploadTable(BY_NAME)
