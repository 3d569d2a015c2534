"""Check a JSON document against the type that declares it."""

from __future__ import annotations

import json
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from rest_framework.renderers import JSONRenderer

from concord.documents.conversion import declared_fields, is_document, json_type, split_type
from concord.documents.problems import ProblemDocument
from core.rest.document_schema import document_type
from core.rest.views import ApiView


def faults(value: Any, declared: Any, at: str = "$") -> list[str]:
    """The differences between a JSON value and its declared type: keys and types of values."""
    declared = json_type(split_type(declared)[0])
    if declared is Any:
        return []
    if is_document(declared):
        return _key_faults(value, declared, at)
    origin, inner = get_origin(declared), get_args(declared)
    if origin in (Union, UnionType):
        alternatives = [faults(value, one, at) for one in inner]
        return min(alternatives, key=len)
    if origin is Literal:
        return [] if value in inner else [f"{at}: {value!r} is none of {inner}"]
    if origin is tuple and isinstance(value, list | tuple) and inner[-1] is not Ellipsis:
        pairs = enumerate(zip(value, inner, strict=True))
        return [fault for i, (one, kind) in pairs for fault in faults(one, kind, f"{at}[{i}]")]
    if origin in (list, tuple) and isinstance(value, list):
        return [
            fault for i, one in enumerate(value) for fault in faults(one, inner[0], f"{at}[{i}]")
        ]
    if origin is dict and isinstance(value, dict):
        return [fault for k, one in value.items() for fault in faults(one, inner[1], f"{at}.{k}")]
    expected = {None: NoneType, float: (int, float), datetime: str}.get(
        declared, origin or declared
    )
    is_flag = isinstance(value, bool) and declared in (int, float)
    is_valid = isinstance(value, expected) and not is_flag
    return [] if is_valid else [f"{at}: {value!r} is no {declared}"]


def _key_faults(value: Any, declared: Any, at: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is no {declared.__name__}"]
    fields = {field.name: field for field in declared_fields(declared)}
    missing = sorted(name for name in fields if fields[name].required and name not in value)
    differences = [f"{at}: {name} is missing" for name in missing]
    differences += [f"{at}: {name} is not declared" for name in sorted(value.keys() - fields)]
    for name in value.keys() & fields.keys():
        differences += faults(value[name], fields[name].type, f"{at}.{name}")
    return differences


def check_answers() -> None:
    """Compare every JSON answer of the API, problems included, in all tests with its document.

    An answer that is not as it is declared fails its request with an AssertionError.
    """
    finalize = ApiView.finalize_response

    def checked(view: ApiView, request: Any, response: Any, *args: Any, **options: Any) -> Any:
        declared = view.operation
        if declared and declared.answer and 200 <= response.status_code < 300 and response.data:
            document = json.loads(JSONRenderer().render(response.data))
            kind = document_type(declared.answer)
            rows = document["results"] if declared.pages else [document]
            differences = [fault for row in rows for fault in faults(row, kind)]
            assert not differences, f"{declared.summary}: {'; '.join(differences)}"
            if rows:
                answered_operations.add(declared.id)
        elif response.status_code >= 400 and getattr(response, "data", None):
            document = json.loads(JSONRenderer().render(response.data))
            assert not faults(document, ProblemDocument), faults(document, ProblemDocument)
        return finalize(view, request, response, *args, **options)

    ApiView.finalize_response = checked  # type: ignore[method-assign]


# The ids of the operations with a checked answer so far.
answered_operations: set[str] = set()
