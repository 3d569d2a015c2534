"""Responses that browsers save as a file."""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpResponseBase

from benchmarks.sets.models import JudgmentSet

Response = TypeVar("Response", bound=HttpResponseBase)
CSV = "text/csv; charset=utf-8"
TSV = "text/tab-separated-values; charset=utf-8"
JSON_LINES = "application/jsonl; charset=utf-8"
PARQUET = "application/vnd.apache.parquet"
ZIP = "application/zip"
SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def attachment(response: Response, judgment_set: JudgmentSet, name: str) -> Response:
    """The response with a file name such as `demo-v2-scores.csv`."""
    file_name = f"{judgment_set.name}-v{judgment_set.version}-{name}"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def media_type(content_type: str) -> str:
    """The content type without its charset, as in the API's schema."""
    return content_type.split(";")[0]
