"""Responses that browsers save as a file."""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpResponse, HttpResponseBase, JsonResponse

from benchmarks.sets.models import JudgmentSet
from concord.documents.conversion import to_json

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


def csv_file(judgment_set: JudgmentSet, text: str, name: str) -> HttpResponse:
    """A CSV file for the browser to save."""
    return attachment(HttpResponse(text, content_type=CSV), judgment_set, name)


def json_file(judgment_set: JudgmentSet, result: object, name: str) -> HttpResponse:
    """A result or a document as a JSON file for the browser to save."""
    layout = {"ensure_ascii": False, "allow_nan": False, "indent": 1}
    response = JsonResponse(to_json(result), json_dumps_params=layout)
    return attachment(response, judgment_set, name)


def media_type(content_type: str) -> str:
    """The content type without its charset, as in the API's schema."""
    return content_type.split(";")[0]
