"""The OpenAPI document, and a documentation page that needs no JavaScript."""

from __future__ import annotations

import json
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from core.accounts.tokens import SCOPES
from core.rest.document_schema import Schema
from core.rest.faults import NO_DATABASE, SERVER_ERROR
from core.rest.problems import kinds
from core.rest.schema import ANSWERS

METHODS = ("get", "post", "put", "patch", "delete")
PARAMETER_LOCATIONS = ("path", "query", "header", "cookie")


@cache
def description() -> Schema:
    """The OpenAPI 3.1 document; the same for all users."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    document: Schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    text = json.dumps(description(), ensure_ascii=False, indent=1, default=str)
    return HttpResponse(text, content_type="application/vnd.oai.openapi+json;version=3.1")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """All operations by tag, with parameters, bodies, answers and examples."""
    described = description()
    sections: dict[str, list[Schema]] = {}
    for path, methods in described["paths"].items():
        for method in METHODS:
            if operation := methods.get(method):
                section = sections.setdefault(operation["tags"][0], [])
                section.append(_operation(described, path, method, operation))
    context = {
        "sections": sections.items(),
        "problems": [*kinds(), SERVER_ERROR, NO_DATABASE],
        "answers": [(status, format_code(text)) for status, text in ANSWERS.items()],
        "scopes": SCOPES.items(),
        "base": request.build_absolute_uri("/api/v1/"),
    }
    return render(request, "rest/docs.html", context)


def _operation(described: Schema, path: str, method: str, operation: Schema) -> Schema:
    """An operation of the OpenAPI document with what the page shows besides.

    "answers" are those that it has of its own; "usual" the statuses of those that all can give.
    """
    media, body = _content(operation.get("requestBody", {}))
    answers: list[Schema] = []
    usual: list[str] = []
    example = None
    for status, answer in sorted(operation["responses"].items()):
        text = answer["description"]
        if text == ANSWERS.get(int(status)):
            usual.append(status)
            continue
        kind, content = _content(answer)
        fields = _fields(described, content) if status < "300" else []
        answers.append(
            {"status": status, "media": kind, "description": format_code(text), "fields": fields}
        )
        example = example or _example(content)
    parameters = [
        {**one, "description": format_code(one.get("description", ""))}
        for one in operation.get("parameters", [])
    ]
    return operation | {
        "path": path,
        "method": method.upper(),
        "description": format_code(operation.get("description", "")),
        "parameters": sorted(parameters, key=lambda one: PARAMETER_LOCATIONS.index(one["in"])),
        "media": media,
        "fields": _fields(described, body),
        "example": _example(body),
        "answers": answers,
        "usual": usual,
        "answer_example": example,
    }


def _content(part: Schema) -> tuple[str, Schema]:
    """The first media type of a request body or response, and what it holds."""
    return next(iter(part.get("content", {}).items()), ("", {}))


def format_code(text: str) -> SafeString:
    """A description as HTML, with text between backticks as code."""
    parts = text.split("`")
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", p) if at % 2 else p,) for at, p in enumerate(parts)),
    )


def _example(content: Schema) -> str | None:
    for example in content.get("examples", {}).values():
        return json.dumps(example["value"], ensure_ascii=False, indent=2)
    return None


def _fields(described: Schema, content: Schema) -> list[Schema]:
    """The fields of an object schema; "kind" is the type in words."""
    resolved = _resolve(described, content.get("schema", {}))
    required = resolved.get("required", [])
    return [
        {
            "name": name,
            "kind": _kind(described, schema),
            "required": name in required,
            "description": format_code(_resolve(described, schema).get("description", "")),
        }
        for name, schema in resolved.get("properties", {}).items()
    ]


def _kind(described: Schema, schema: Schema) -> str:
    resolved = _resolve(described, schema)
    if "enum" in resolved:
        return " | ".join(json.dumps(value) for value in resolved["enum"])
    kind = resolved.get("type", "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        return f"list of {_kind(described, resolved.get('items', {}))}"
    if "$ref" in schema and kind == "object":
        return str(schema["$ref"].rpartition("/")[2])
    return f"{kind} ({resolved['format']})" if "format" in resolved else str(kind)


def _resolve(described: Schema, schema: Schema) -> Schema:
    """The schema with its reference resolved; also a single reference in `allOf` or `oneOf`."""
    for name in ("allOf", "oneOf"):
        if name in schema:
            inner = [one for one in schema[name] if "$ref" in one]
            return {**schema, **(_resolve(described, inner[0]) if inner else {})}
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].rpartition("/")[2]
    referenced: Schema = described["components"]["schemas"][name]
    return referenced
