"""The API's description as a document and as a page that needs no script."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator

from core.accounts.tokens import SCOPES
from core.rest.faults import DATABASE_AWAY, FAULT
from core.rest.problems import kinds
from core.rest.schema import ANSWERS

METHODS = ("get", "post", "put", "patch", "delete")
PLACES = ("path", "query", "header", "cookie")


@dataclass(frozen=True)
class DocumentField:
    """A field of a body or an answer, its kind in words."""

    name: str
    kind: str
    required: bool
    description: SafeString


@dataclass(frozen=True)
class Answer:
    status: str
    media: str
    description: SafeString
    fields: list[DocumentField]


@dataclass(frozen=True)
class Operation:
    """An operation as its page shows it; parameters as OpenAPI has them, `usual` the statuses of
    the answers that every operation may give."""

    id: str
    path: str
    method: str
    summary: str
    description: SafeString
    parameters: list[dict[str, Any]]
    media: str
    fields: list[DocumentField]
    example: str | None
    answers: list[Answer]
    usual: list[str]
    answer_example: str | None


@cache
def description() -> dict[str, Any]:
    """The OpenAPI 3.1 document of every operation; the same for everybody."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    found: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return found


@require_safe
def openapi(request: HttpRequest) -> HttpResponse:
    text = json.dumps(description(), ensure_ascii=False, indent=1, default=str)
    return HttpResponse(text, content_type="application/vnd.oai.openapi+json;version=3.1")


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Every operation under its subject, with parameters, bodies, answers and examples."""
    described = description()
    sections: dict[str, list[Operation]] = {}
    for path, methods in described["paths"].items():
        for method in METHODS:
            if told := methods.get(method):
                section = sections.setdefault(told["tags"][0], [])
                section.append(_operation(described, path, method, told))
    context = {
        "sections": sections.items(),
        "problems": [*kinds(), FAULT, DATABASE_AWAY],
        "answers": [(status, marked(told)) for status, told in ANSWERS.items()],
        "scopes": SCOPES.items(),
        "base": request.build_absolute_uri("/api/v1/"),
    }
    return render(request, "rest/docs.html", context)


def _operation(
    described: dict[str, Any], path: str, method: str, told: dict[str, Any]
) -> Operation:
    media, body = next(iter(told.get("requestBody", {}).get("content", {}).items()), ("", {}))
    answers: list[Answer] = []
    usual: list[str] = []
    example = None
    for status, answer in sorted(told["responses"].items()):
        if answer["description"] == ANSWERS.get(int(status)):
            usual.append(status)
            continue
        kind, content = next(iter(answer.get("content", {}).items()), ("", {}))
        fields = _fields(described, content) if status < "300" else []
        said = marked(answer["description"])
        answers.append(Answer(status, kind, said, fields))
        example = example or _example(content)
    return Operation(
        id=told["operationId"],
        path=path,
        method=method.upper(),
        summary=told["summary"],
        description=marked(told.get("description", "")),
        parameters=[
            {**one, "description": marked(one.get("description", ""))}
            for one in sorted(told.get("parameters", []), key=lambda one: PLACES.index(one["in"]))
        ],
        media=media,
        fields=_fields(described, body),
        example=_example(body),
        answers=answers,
        usual=usual,
        answer_example=example,
    )


def marked(text: str) -> SafeString:
    """A description as HTML: what stands between backticks is code."""
    parts = text.split("`")
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", p) if at % 2 else p,) for at, p in enumerate(parts)),
    )


def _example(content: dict[str, Any]) -> str | None:
    for example in content.get("examples", {}).values():
        return json.dumps(example["value"], ensure_ascii=False, indent=2)
    return None


def _fields(described: dict[str, Any], content: dict[str, Any]) -> list[DocumentField]:
    """The fields of an object, each with its kind in words."""
    found = _resolved(described, content.get("schema", {}))
    required = found.get("required", [])
    return [
        DocumentField(
            name,
            _kind(described, schema),
            name in required,
            marked(_resolved(described, schema).get("description", "")),
        )
        for name, schema in found.get("properties", {}).items()
    ]


def _kind(described: dict[str, Any], schema: dict[str, Any]) -> str:
    found = _resolved(described, schema)
    if "enum" in found:
        return " | ".join(json.dumps(value) for value in found["enum"])
    kind = found.get("type", "any")
    if isinstance(kind, list):
        kind = " or ".join(kind)
    if kind == "array":
        return f"list of {_kind(described, found.get('items', {}))}"
    if "$ref" in schema and kind == "object":
        return str(schema["$ref"].rpartition("/")[2])
    return f"{kind} ({found['format']})" if "format" in found else str(kind)


def _resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """The schema a reference leads to, the one reference of an `allOf` or `oneOf` as well."""
    for name in ("allOf", "oneOf"):
        if name in schema:
            inner = [one for one in schema[name] if "$ref" in one]
            return {**schema, **(_resolved(described, inner[0]) if inner else {})}
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].rpartition("/")[2]
    found: dict[str, Any] = described["components"]["schemas"][name]
    return found
