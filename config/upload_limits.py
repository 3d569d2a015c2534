"""Upload limits of views that take files. All others take a form: core.security.uploads."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings

from annotation.crowds.services.results import FILE_BYTES
from annotation.studies.csv_intake import MAX_ROWS
from annotation.studies.services.uploads import UPLOAD_BYTES
from concord.formats.limits import Limits as FileLimits
from core.security.uploads import Limits, UploadTable

# A quoted cell of a CSV may break its line, so that a row is several.
LINES_A_ROW = 20
# The longest texts of one row, all of its references among them.
LONGEST_LINE = 4 * 1024 * 1024
# A document that is one JSON value may be one line.
READ_BY_FORMATS = FileLimits()
ZIP_OVERHEAD = 10_000_000


def candidates() -> Limits:
    return Limits(UPLOAD_BYTES, MAX_ROWS * LINES_A_ROW, LONGEST_LINE)


def crowd_file() -> Limits:
    return Limits(FILE_BYTES, MAX_ROWS * LINES_A_ROW, LONGEST_LINE)


def scores() -> Limits:
    return Limits(settings.SUBMISSION_MAX_BYTES, READ_BY_FORMATS.max_rows, LONGEST_LINE)


def judgments() -> Limits:
    return Limits(settings.UPLOAD_MAX_BYTES, READ_BY_FORMATS.max_rows * LINES_A_ROW)


def checkpoint() -> Limits:
    return Limits(settings.CHECKPOINT_MAX_BYTES + ZIP_OVERHEAD, archives=True)


BY_NAME: dict[str, Callable[[], Limits]] = {
    "study-upload-file": candidates,
    "study-crowd-file": crowd_file,
    "submit": scores,
    "start-training": judgments,
    "set-imports": judgments,
    "import-checkpoint": checkpoint,
    "api-trainings": judgments,
    "api-checkpoints": checkpoint,
    "api-uploads": candidates,
    "api-crowd-results": crowd_file,
    "api-submissions": scores,
    "api-sets": judgments,
    "api-versions": judgments,
    "api-import-pairs": judgments,
}
TABLE = UploadTable(BY_NAME)
