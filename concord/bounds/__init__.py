"""Bounds of dataclass fields, defined once in the metadata of the fields.

`candidates: int = field(default=10, metadata=number(1, 100))` sets the bounds of a field; `label`
and `help` describe it to people. Type hints and metadata are used to read an object from JSON
(`from_json`), to normalise it (`normalize`) and to validate it (`find_problems`). Forms,
the REST API and commands derive their fields and options from them (`bounded_fields`, `find_bound`,
`add_options`).

Supported types: bool, int, float, str, Literal, dataclasses, `tuple[X, ...]`, tuples of a fixed
length, and each of them `| None`.
"""

from concord.bounds.conversion import InputError, from_json, normalize
from concord.bounds.metadata import (
    REQUIRED,
    BoundedField,
    Choice,
    Items,
    Metadata,
    Number,
    Text,
    bounded_fields,
    choice,
    choice_of,
    choices_of,
    described,
    find_bound,
    flag,
    items,
    number,
    text,
)
from concord.bounds.options import add_options
from concord.bounds.validation import find_problems, find_value_problems

__all__ = [
    "REQUIRED",
    "BoundedField",
    "Choice",
    "InputError",
    "Items",
    "Metadata",
    "Number",
    "Text",
    "add_options",
    "bounded_fields",
    "choice",
    "choice_of",
    "choices_of",
    "described",
    "find_bound",
    "find_problems",
    "find_value_problems",
    "flag",
    "from_json",
    "items",
    "normalize",
    "number",
    "text",
]
