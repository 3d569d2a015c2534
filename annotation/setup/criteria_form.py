"""The criteria of a protocol in its form: the fields of each, and their conversion."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from concord.bounds import Items, Text, find_bound
from concord.protocols import Condition, Criterion, Protocol, ScalePoint
from concord.protocols.criteria import (
    CRITERION_KINDS,
    DEFAULT_KEY_F1,
    NUMERIC,
    RELATIONS,
    SEVERITIES,
    CriterionKind,
    whole_number,
)
from core.pages import bounded_fields
from core.pages.queries import FormValues

CRITERIA: Items = find_bound(Protocol, "criteria")
EMPTY_CRITERIA = 2
KIND_LABELS = {
    "scale": "Scale with labelled points",
    "slider": "Slider",
    "choice": "One of several options",
    "choices": "Any of several options",
    "yes-no": "Yes or no",
    "text": "Free text",
    "spans": "Marked parts of the answer",
    "worst": "Worst of a set",
}
RELATION_LABELS = {"below": "is below", "above": "is above", "equal": "is"}
COLUMNS = (
    *("name", "question", "kind", "low", "answers", *SEVERITIES, "required", "above"),
    *("on", "relation", "value", "key_tolerance", "key_f1"),
)
# What is filled in where a criterion is used; the other columns always have a value.
TYPED = ("name", "question", "answers", "on", "value")
NEEDED = {
    "name": "Enter a name, or empty the whole criterion.",
    "question": "Enter the question.",
}
POINT_PROBLEM = "Enter each mark as its value, a colon and its label, such as 0: nothing."
# Which column shows a problem of a criterion's field.
COLUMN_OF = {
    "points": "answers",
    "options": "answers",
    "categories": "answers",
    "severities": SEVERITIES[0],
    "condition.criterion": "on",
    "condition.relation": "relation",
    "condition.value": "value",
}


@dataclass(frozen=True)
class CriterionFields:
    """The fields of one criterion. `is_used`: whether it has a name, or a problem."""

    number: int
    fields: dict[str, forms.BoundField]
    is_used: bool

    @property
    def is_conditional(self) -> bool:
        """Whether its condition has a value or a problem."""
        return any(
            self.fields[name].value() or self.fields[name].errors for name in ("on", "value")
        )


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
    values: dict[str, object] = {}
    for index in range(CRITERIA.max_items):
        row: dict[str, object] = {"kind": CRITERION_KINDS[0], "required": True, "relation": "equal"}
        row["low"] = 1
        if index < len(protocol.criteria):
            row = _row(protocol.criteria[index])
        values |= {f"criterion_{index}_{name}": value for name, value in row.items()}
    return values


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
    name = re.sub(r"^(points|options|severities|categories)\..*", r"\1", field)
    return COLUMN_OF.get(name, name)


def _fields(row: str) -> dict[str, forms.Field]:
    name: Text = find_bound(Criterion, "name")
    value: Text = find_bound(Condition, "value")
    lines = forms.Textarea(attrs={"rows": 4, "dir": "auto"})
    return {
        "name": bounded_fields.line(name, f"{row}: name"),
        "question": bounded_fields.line(find_bound(Criterion, "question"), f"{row}: question"),
        "kind": forms.ChoiceField(
            label=f"{row}: answer", choices=list(KIND_LABELS.items()), required=False
        ),
        "low": bounded_fields.whole_number(
            find_bound(ScalePoint, "value"), f"{row}: lowest value", "Usually 1 or 0."
        ),
        "answers": forms.CharField(
            label=f"{row}: points, options or categories",
            required=False,
            strip=False,
            help_text="One per line, points lowest first. Marks of a slider are written with their "
            "values, such as 0: nothing.",
            widget=lines,
        ),
        **{
            severity: forms.BooleanField(label=f"{row}: {severity}", required=False)
            for severity in SEVERITIES
        },
        "required": forms.BooleanField(label=f"{row}: an answer is required", required=False),
        "above": forms.BooleanField(label=f"{row}: asked above the scale", required=False),
        "on": bounded_fields.line(name, f"{row}: asked only if the answer to criterion"),
        "relation": forms.ChoiceField(
            label=f"{row}: relation", choices=list(RELATION_LABELS.items()), required=False
        ),
        "value": bounded_fields.line(value, f"{row}: value"),
        "key_tolerance": bounded_fields.whole_number(
            find_bound(Criterion, "key_tolerance"),
            f"{row}: tolerance of test items",
            "How far a right answer to a test item or hidden check may be from the correct one.",
        ),
        "key_f1": bounded_fields.real_number(
            find_bound(Criterion, "key_f1"),
            f"{row}: least character F1 of test items",
            "Of a right answer to a test item or hidden check with the correct one. Empty: "
            f"{DEFAULT_KEY_F1:g}.",
        ),
    }


def _row(criterion: Criterion) -> dict[str, object]:
    lines = lines_of(criterion.points, is_slider=criterion.kind == "slider")
    condition = criterion.condition
    return {
        "name": criterion.name,
        "question": criterion.question,
        "kind": criterion.kind,
        "low": criterion.points[0].value if criterion.points else 1,
        "answers": "\n".join(lines or criterion.options or criterion.categories),
        **{severity: severity in criterion.severities for severity in SEVERITIES},
        "required": criterion.required,
        "above": criterion.above,
        "on": condition.criterion if condition else "",
        "relation": condition.relation if condition else RELATIONS[-1],
        "value": condition.value if condition else "",
        "key_tolerance": criterion.key_tolerance,
        "key_f1": criterion.key_f1,
    }


def _criterion(values: FormValues, index: int) -> Criterion:
    def of(name: str) -> Any:  # noqa: ANN401 - a value of the form's field
        return values.get(f"criterion_{index}_{name}") or ""

    kind, lines = _kind(values, index), _lines(of("answers"))
    low = values.get(f"criterion_{index}_low")
    points = points_of(lines, low, is_slider=kind == "slider")
    has_condition = of("value").strip() or of("on").strip()
    return Criterion(
        of("name"),
        of("question"),
        kind,
        points=tuple(points) if kind in NUMERIC else (),
        options=() if kind in (*NUMERIC, "spans") else tuple(lines),
        severities=tuple(severity for severity in SEVERITIES if of(severity)),
        categories=tuple(lines) if kind == "spans" else (),
        required=bool(of("required")),
        above=bool(of("above")),
        condition=Condition(of("value"), of("on"), of("relation") or RELATIONS[-1])
        if has_condition
        else None,
        key_tolerance=of("key_tolerance") or 0,
        key_f1=values.get(f"criterion_{index}_key_f1"),
    )


def _kind(values: FormValues, index: int) -> CriterionKind:
    return values.get(f"criterion_{index}_kind") or CRITERION_KINDS[0]


def _lines(text: str | None) -> list[str]:
    return [line for line in re.split(r"\r\n|\r|\n", text or "") if line.strip()]
