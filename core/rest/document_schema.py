"""JSON schemas of documents (`concord.documents`) for the OpenAPI document."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from drf_spectacular.plumbing import ComponentRegistry, ResolvedComponent

from concord.bounds import Number
from concord.documents.conversion import (
    Format,
    declared_fields,
    is_document,
    json_type,
    split_type,
    without_none,
)

# A schema of OpenAPI, or a part of its document: JSON of any depth.
Schema = dict[str, Any]
SCALARS: dict[object, Schema] = {
    Any: {},  # a value of any type
    NoneType: {"type": "null"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number", "format": "double"},
    str: {"type": "string"},
    datetime: {"type": "string", "format": "date-time"},
}


def document_type(answer: Callable[..., object]) -> type:
    """The type of an operation's answer: the answer itself, or what the function returns."""
    if isinstance(answer, type) and is_document(answer):
        return answer
    kind: type = get_type_hints(answer)["return"]
    return kind


def takes_request(answer: Callable[..., object]) -> bool:
    """Whether the function makes a document for a request: `(value, request)`."""
    return len(inspect.signature(answer).parameters) == 2


def page_schema(kind: type, registry: ComponentRegistry) -> Schema:
    """A reference to the schema of a page of a list of these documents."""
    name = f"{kind.__name__.removesuffix('Document')}Page"
    schema = {
        "type": "object",
        "properties": {
            "results": {"type": "array", "items": document_schema(kind, registry)},
            "next": {
                "type": ["string", "null"],
                "description": "URL of the next page; null on the last page.",
            },
        },
        "required": ["next", "results"],
    }
    return _component(name, kind, registry, lambda: schema)


def document_schema(kind: type, registry: ComponentRegistry) -> Schema:
    """A reference to the schema of a document, which becomes a component."""

    def describe() -> Schema:
        fields, text = declared_fields(kind), inspect.cleandoc(kind.__doc__ or "")
        return {
            "type": "object",
            **({"description": text} if text else {}),
            "properties": {
                field.name: _value_schema(field.type, field.notes, registry) for field in fields
            },
            "required": sorted(field.name for field in fields if field.required),
        }

    return _component(kind.__name__, kind, registry, describe)


def _component(
    name: str, source: type, registry: ComponentRegistry, describe: Callable[[], Schema]
) -> Schema:
    component = ResolvedComponent(name, ResolvedComponent.SCHEMA, object=source)  # type: ignore[no-untyped-call]
    if component not in registry:
        registry.register(component)
        component.schema = describe()
    elif registry[component].object is not source:
        raise ValueError(f"two documents have the name {name}")
    reference: Schema = component.ref
    return reference


def _value_schema(
    declared: object, notes: tuple[object, ...], registry: ComponentRegistry
) -> Schema:
    """The schema of a value of this type. notes: descriptions, bounds and a format."""
    kind, more_notes = split_type(declared)
    kind, is_nullable = without_none(kind)
    kind, inner_notes = split_type(kind)
    schema = _type_schema(kind, registry)
    if is_nullable:
        schema = _nullable(schema)
    for note in (*notes, *more_notes, *inner_notes):
        if isinstance(note, str):
            schema = {"allOf": [schema]} if "$ref" in schema else schema
            schema["description"] = note
        elif isinstance(note, Number):
            schema |= {"minimum": note.minimum, "maximum": note.maximum}
        elif isinstance(note, Format):
            schema["format"] = note.name
    return schema


def _type_schema(kind: Any, registry: ComponentRegistry) -> Schema:  # noqa: ANN401 - also what `typing` makes
    kind = json_type(kind)
    if is_document(kind):
        return document_schema(kind, registry)
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple and parts[-1] is not Ellipsis:
        items = [_value_schema(part, (), registry) for part in parts]
        return {"type": "array", "prefixItems": items}
    if origin in (list, tuple, Sequence):
        return {"type": "array", "items": _value_schema(parts[0], (), registry)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": _value_schema(parts[1], (), registry)}
    if origin is Literal:
        return {"type": "string", "enum": list(parts)}
    if origin is not None:
        return {"oneOf": [_value_schema(part, (), registry) for part in parts]}
    return dict(SCALARS[kind])


def _nullable(schema: Schema) -> Schema:
    if "type" not in schema:
        return {"oneOf": [schema, {"type": "null"}]} if schema else schema
    schema = {**schema, "type": [schema["type"], "null"]}
    return schema | ({"enum": [*schema["enum"], None]} if "enum" in schema else {})
