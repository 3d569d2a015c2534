"""Validating requests and serialising answers by botocore's model of the service."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StringShape, StructureShape
from botocore.utils import parse_to_aware_datetime
from botocore.validate import ParamValidator

from mturk_sandbox.errors import TurkError

TARGET = "MTurkRequesterServiceV20170117"


@cache
def mturk() -> ServiceModel:
    """The model of API version 2017-01-17 that ships with botocore."""
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


def operations() -> list[str]:
    """The names of all operations."""
    return list(mturk().operation_names)


def read(operation: str, document: Any) -> dict[str, Any]:
    """The parameters of a request, validated by the model, with times as seconds since the epoch.

    Raises a TurkError of kind ValidationException when a member is missing, unknown, of another
    type, or breaks a length, range, pattern or enumeration of the model.
    """
    shape = mturk().operation_model(operation).input_shape
    if not isinstance(document, dict):
        raise TurkError("SerializationException", "The request is not a JSON object.")
    report = ParamValidator().validate(document, shape)
    if report.has_errors():
        raise TurkError("ValidationException", report.generate_report())
    problems: list[str] = []
    parameters = _check_value(shape, document, "", problems)
    if problems:
        count = f"{len(problems)} validation error{'s' if len(problems) > 1 else ''} detected: "
        raise TurkError("ValidationException", count + "; ".join(problems))
    return dict(parameters)


def _check_value(shape: Shape, value: Any, path: str, problems: list[str]) -> Any:
    if isinstance(shape, StructureShape):
        values = {}
        for name, member_value in value.items():
            if member_value is not None:
                member = shape.members[name]
                values[name] = _check_value(
                    member, member_value, f"{path}.{name}".lstrip("."), problems
                )
        return values
    if isinstance(shape, ListShape):
        return [
            _check_value(shape.member, member_value, f"{path}.{position}.member", problems)
            for position, member_value in enumerate(value, start=1)
        ]
    if shape.type_name == "timestamp":
        return parse_to_aware_datetime(value).timestamp()
    for problem in _limits(shape, value):
        problems.append(f"Value '{value}' at '{path}' failed to satisfy constraint: {problem}")
    return value


def _limits(shape: Shape, value: Any) -> list[str]:
    """Violations that ParamValidator does not check: upper limits, patterns and enumerations."""
    problems = []
    maximum = shape.metadata.get("max")
    if maximum is not None and isinstance(value, str) and len(value) > maximum:
        problems.append(f"Member must have length less than or equal to {maximum}")
    if maximum is not None and isinstance(value, int) and value > maximum:
        problems.append(f"Member must have value less than or equal to {maximum}")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.search(pattern, value):
        problems.append(f"Member must satisfy regular expression pattern: {pattern}")
    if isinstance(shape, StringShape) and shape.enum and value not in shape.enum:
        problems.append(f"Member must satisfy enum value set: [{', '.join(shape.enum)}]")
    return problems


def write(operation: str, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer in JSON 1.1, without members that are None.

    Raises KeyError for a member that the model does not have, which is a bug of the sandbox.
    """
    shape = mturk().operation_model(operation).output_shape
    return dict(_serialise(shape, answer))


def _serialise(shape: Shape, value: Any) -> Any:
    if isinstance(shape, StructureShape):
        return {
            name: _serialise(shape.members[name], member_value)
            for name, member_value in value.items()
            if member_value is not None
        }
    if isinstance(shape, ListShape):
        return [_serialise(shape.member, member_value) for member_value in value]
    if shape.type_name == "timestamp":
        return round(float(value), 3)
    return value
