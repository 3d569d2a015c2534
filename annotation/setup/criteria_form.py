"""The criteria of a protocol in its form: the fields of each, and their conversion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django import forms

from annotation.setup.declared_fields import declared_fields, initial_values, make_field, read
from concord.bounds import Items, find_bound
from concord.protocols import Condition, Criterion, Protocol, ScalePoint
from concord.protocols.criteria import (
    CRITERION_KINDS,
    NUMERIC,
    SEVERITIES,
    CriterionKind,
    whole_number,
)
from core.pages import bounded_fields
from core.pages.queries import FormValues

CRITERIA: Items = find_bound(Protocol, "criteria")
EMPTY_CRITERIA = 2
EMPTY = Criterion("", "", condition=Condition(""))
# The fields that one form field shows; for the others the form has `low`, `answers` and a box for
# each severity.
DECLARED = {
    name: one
    for name, one in declared_fields(Criterion)
    if name not in ("options", "categories", "has_condition")
}
COLUMNS = (*DECLARED, "low", "answers", *SEVERITIES)
CONDITION = ("condition_criterion", "condition_value")
# What is filled in where a criterion is used; the other columns always have a value.
TYPED = ("name", "question", "answers", *CONDITION)
NEEDED = {
    "name": "Enter a name, or empty the whole criterion.",
    "question": "Enter the question.",
}
POINT_PROBLEM = "Enter each mark as its value, a colon and its label, such as 0: nothing."


@dataclass(frozen=True)
class CriterionFields:
    """The fields of one criterion. `is_used`: whether it has a name, or a problem."""

    number: int
    fields: dict[str, forms.BoundField]
    is_used: bool

    @property
    def is_conditional(self) -> bool:
        """Whether its condition has a value or a problem."""
        return any(self.fields[name].value() or self.fields[name].errors for name in CONDITION)


def add_fields(form: forms.Form, count: int) -> None:
    """Add the fields of `count` criteria."""
    for index in range(count):
        row = f"Criterion {index + 1}"
        for name, field in _fields(row).items():
            form.fields[f"criterion_{index}_{name}"] = field


def count_rows(data: Mapping[str, object] | None, protocol: Protocol) -> int:
    """The number of criteria to show: those of the protocol and empty ones, or those submitted.

    One more than the bound may be submitted, so that the protocol's validation refuses it.
    """
    if data is None:
        return min(len(protocol.criteria) + EMPTY_CRITERIA, CRITERIA.max_items)
    rows = (re.fullmatch("criterion_([0-9]{1,2})_name", name) for name in data)
    used = max((int(row[1]) + 1 for row in rows if row), default=0)
    return min(used, CRITERIA.max_items + 1)


def initial_of(protocol: Protocol) -> dict[str, object]:
    """The initial values of a protocol's criteria and of empty ones after them."""
    empty = [EMPTY] * (CRITERIA.max_items - len(protocol.criteria))
    return {
        f"criterion_{index}_{name}": value
        for index, criterion in enumerate((*protocol.criteria, *empty))
        for name, value in _row(criterion).items()
    }


def point_of(line: str) -> ScalePoint | None:
    """The point in a line such as "1: wrong"; None for another line."""
    value, colon, label = line.partition(":")
    number = whole_number(value) if colon else None
    return None if number is None else ScalePoint(number, label.strip())


def points_of(lines: Sequence[str], low: int | None, *, is_slider: bool) -> list[ScalePoint]:
    """The points that the lines of a scale or the marks of a slider stand for.

    Labels count up from `low`, by default 1. Marks, and points where every line has a value, are
    "1: wrong". Lines of a slider that are no marks are left out.
    """
    points = [point_of(line) for line in lines]
    if is_slider or (points and all(points)):
        return [point for point in points if point is not None]
    start = 1 if low is None else low
    return [ScalePoint(value, label.strip()) for value, label in enumerate(lines, start)]


def lines_of(points: Sequence[ScalePoint], *, is_slider: bool) -> list[str]:
    """What a person enters for these points: labels; with values where `points_of` needs them."""
    labels = [point.label for point in points]
    if is_slider or all(map(point_of, labels)):
        return [f"{point.value}: {point.label}" for point in points]
    return labels


def point_problems(values: FormValues, rows: Sequence[int]) -> list[str]:
    """The names of the fields with lines that are no marks of their slider."""
    names = [f"criterion_{index}_answers" for index in rows if _kind(values, index) == "slider"]
    return [name for name in names if not all(map(point_of, _lines(values.get(name))))]


def criteria_of(values: FormValues, rows: Sequence[int]) -> tuple[Criterion, ...]:
    """The criteria in the form's cleaned values, not validated."""
    return tuple(_criterion(values, index) for index in rows)


def column_of(field: str) -> str:
    """The column that shows a problem of a criterion's field, a path such as "points.0.label"."""
    first = field.partition(".")[0]
    if first == "severities":
        return SEVERITIES[0]
    is_list = first in ("points", "options", "categories")
    return "answers" if is_list else field.replace(".", "_")


def _fields(row: str) -> dict[str, forms.Field]:
    fields = {
        name: make_field(replace(one, label=f"{row}: {one.label}"))
        for name, one in DECLARED.items()
    }
    fields["low"] = bounded_fields.whole_number(
        find_bound(ScalePoint, "value"), f"{row}: lowest value", "Usually 1 or 0."
    )
    fields["answers"] = forms.CharField(
        label=f"{row}: points, options or categories",
        required=False,
        strip=False,
        help_text="One per line, points lowest first. Marks of a slider are written with their "
        "values, such as 0: nothing.",
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )
    for severity in SEVERITIES:
        fields[severity] = forms.BooleanField(label=f"{row}: {severity}", required=False)
    return fields


def _row(criterion: Criterion) -> dict[str, object]:
    lines = lines_of(criterion.points, is_slider=criterion.kind == "slider")
    values = initial_values(replace(criterion, condition=criterion.condition or EMPTY.condition))
    return {
        **{name: values[name] for name in DECLARED},
        "low": criterion.points[0].value if criterion.points else 1,
        "answers": "\n".join(lines or criterion.options or criterion.categories),
        **{severity: severity in criterion.severities for severity in SEVERITIES},
    }


def _criterion(values: FormValues, index: int) -> Criterion:
    row = f"criterion_{index}_"
    made = read(EMPTY, values, values, row)
    kind, lines = _kind(values, index), _lines(values.get(f"{row}answers"))
    points = points_of(lines, values.get(f"{row}low"), is_slider=kind == "slider")
    has_condition = any((values.get(row + name) or "").strip() for name in CONDITION)
    return replace(
        made,
        points=tuple(points) if kind in NUMERIC else (),
        options=() if kind in (*NUMERIC, "spans") else tuple(lines),
        severities=tuple(severity for severity in SEVERITIES if values.get(row + severity)),
        categories=tuple(lines) if kind == "spans" else (),
        condition=made.condition if has_condition else None,
    )


def _kind(values: FormValues, index: int) -> CriterionKind:
    return values.get(f"criterion_{index}_kind") or CRITERION_KINDS[0]


def _lines(text: str | None) -> list[str]:
    return [line for line in re.split(r"\r\n|\r|\n", text or "") if line.strip()]
