"""Bounds of a dataclass's fields, written once in the metadata of the fields.

`candidates: int = field(default=10, metadata=number(1, 100))` bounds a field. From the type hints
and this metadata an object is made from JSON (`from_json`), normalised (`normalized`) and checked
(`problems`); forms and the REST API derive their own fields (`fields_of`, `bound_at`).

Supported types: bool, int, float, str, Literal, dataclasses, `tuple[X, ...]`, tuples of a fixed
length, and each of them `| None`.
"""

from concord.bounds.checking import problems
from concord.bounds.declaring import (
    BoundedField,
    Items,
    Number,
    Text,
    bound_at,
    fields_of,
    flag,
    items,
    number,
    text,
)
from concord.bounds.values import from_json, normalized

__all__ = [
    "BoundedField",
    "Items",
    "Number",
    "Text",
    "bound_at",
    "fields_of",
    "flag",
    "from_json",
    "items",
    "normalized",
    "number",
    "problems",
    "text",
]
