"""Answers by JSON schema: what a server of the chat protocol is asked to answer in."""

from __future__ import annotations

import json
from typing import Any

from concord.formats.records import SEVERITIES
from concord.judges.chat.prompts import Template

MAX_LABELS = 101  # of a scale whose labels are listed one by one
SCORE, EXPLANATION, ERRORS = "score", "explanation", "errors"


def scale_labels(low: int, high: int) -> list[int]:
    """All whole numbers from low to high. Raises ValueError for more than MAX_LABELS."""
    if high - low >= MAX_LABELS:
        raise ValueError(
            f"the scale {low} to {high} has more than {MAX_LABELS} labels, too many to list each"
        )
    return list(range(low, high + 1))


def answer_schema(template: Template, low: int, high: int) -> dict[str, Any]:
    """The JSON schema of an answer to a template: an object with the score, a whole number from low
    to high, after an explanation where the model reasons first; or with the list of errors.
    Raises ValueError for a scale with more than MAX_LABELS labels."""
    if template.marks_errors:
        error = _object(
            {
                "span": {"type": "string"},
                "category": {"type": "string"},
                "severity": {"type": "string", "enum": list(SEVERITIES)},
            }
        )
        return _object({ERRORS: {"type": "array", "items": error}})
    score = {SCORE: {"type": "integer", "enum": scale_labels(low, high)}}
    return _object({EXPLANATION: {"type": "string"}} | score if template.is_reasoned else score)


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The field `response_format` of a request."""
    return {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": schema},
    }


def score_in(text: str) -> int | None:
    """The score of an answer by schema; None for any other text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    score = value.get(SCORE) if type(value) is dict else None
    return score if type(score) is int else None


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
