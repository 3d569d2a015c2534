"""The parser of JSON request bodies, which bounds their size and depth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

from core.refusals import RefusedError

MAX_LEVELS = 32


class BoundedJSONParser(BaseParser):
    """JSON of at most API_MAX_JSON_BYTES and MAX_LEVELS levels, without NaN or duplicate names."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, object] | None = None,
    ) -> Any:  # noqa: ANN401 - JSON of any kind
        max_bytes = settings.API_MAX_JSON_BYTES
        text = stream.read(max_bytes + 1)
        if len(text) > max_bytes:
            raise RefusedError(
                f"A JSON body can have at most {max_bytes:,} bytes. Upload more data as a file.",
                "body-too-large",
            )
        try:
            decoded = text.decode("utf-8")
            _check_depth(decoded)
            return json.loads(
                decoded, parse_constant=_reject_constant, object_pairs_hook=_unique_names
            )
        except ValueError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from error


def _check_depth(text: str) -> None:
    """Raise ValueError for JSON that is nested too deeply for a recursive parser.

    Brackets in strings do not count.
    """
    depth, in_string, escaped = 0, False, False
    for character in text:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            depth += 1
            if depth > MAX_LEVELS:
                raise ValueError(f"it is nested more than {MAX_LEVELS} levels deep")
        elif character in "]}":
            depth -= 1


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed in JSON")


def _unique_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        duplicate = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {json.dumps(duplicate[:60])} occurs twice in one object")
    return document
