"""The base class of documents that the client returns as objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from concord.documents import conversion


@dataclass(frozen=True, kw_only=True)
class Document:
    """A JSON object with the fields that a subclass declares.

    raw: the complete JSON object, where the document was read from JSON. It also has the fields of
    newer servers.
    """

    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Self:
        """The document of a JSON object. Raises KeyError for a missing field."""
        document: Self = conversion.from_json(cls, raw)
        return document

    def to_json(self) -> dict[str, Any]:
        """The document as a JSON object."""
        value: dict[str, Any] = conversion.fields_to_json(self)
        return value
