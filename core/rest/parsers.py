"""Bodies of requests: JSON that is bounded in size and depth, files that stream to disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

from core.rest.problems import register

MOST_LEVELS = 32


class BodyTooLargeError(APIException):
    """The body is larger than the API takes."""

    status_code = 413
    default_code = "body-too-large"
    default_detail = "The body is too large."


register(BodyTooLargeError, "body-too-large", 413, "The body is too large")


class BoundedJSONParser(BaseParser):
    """JSON of at most API_MAX_JSON_BYTES and MOST_LEVELS levels, without NaN or doubled names."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        most = settings.API_MAX_JSON_BYTES
        text = stream.read(most + 1)
        if len(text) > most:
            raise BodyTooLargeError(
                f"A JSON body has at most {most:,} bytes; send larger things as a file."
            )
        try:
            decoded = text.decode("utf-8")
            _refuse_depth(decoded)
            return json.loads(
                decoded, parse_constant=_refuse_constant, object_pairs_hook=_without_doubles
            )
        except ValueError as error:
            raise ParseError(f"The body is no JSON that is taken here: {error}.") from error


def _refuse_depth(text: str) -> None:
    """Refuse what nests deeply before anything recursive reads it; brackets in strings do not
    count."""
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
            if depth > MOST_LEVELS:
                raise ValueError(f"it nests more than {MOST_LEVELS} levels deep")
        elif character in "]}":
            depth -= 1


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number in JSON")


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {json.dumps(twice[:60])} is there twice in one object")
    return found
