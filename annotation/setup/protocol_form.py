"""What the forms of a protocol's parts have in common. Fields and bounds come from the library's
dataclasses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from django import forms
from django.http import QueryDict

from annotation.setup import criteria_form
from annotation.setup.declared_fields import declared_fields, initial_values, make_field, read
from concord.bounds import Items
from concord.protocols import Protocol, ProtocolError
from concord.protocols.rules import SHARES_MUST_ADD_UP
from concord.sentences import to_sentence
from core.pages.bounded_fields import percent_of, shown
from core.pages.queries import FormValues

# The minimum number of rows of a table, and the number of empty rows after those in use.
MIN_ROWS, EMPTY_ROWS = 6, 3
RULE_COLUMNS = ("ratings", "split", "kind")
SHARE_COLUMNS = ("split", "percent")
# What a rating rule's kind of constituent is in its `span_based`.
KINDS = {"": None, "span": True, "generative": False}
# The form field that shows a problem of a whole table.
TABLE_FIELDS = {"scale": "low", "rating_rules": "rule_0_ratings", "split_shares": "share_0_percent"}
# Problems of shares, in the percentages that the form asks for.
PERCENT_PROBLEMS = {SHARES_MUST_ADD_UP: "the percentages must add up to 100"}


def initial_of(protocol: Protocol) -> dict[str, object]:
    """The initial values of the forms for a protocol."""
    values = initial_values(protocol) | {"low": protocol.low}
    is_slider = protocol.scale_kind == "slider"
    for index, line in enumerate(criteria_form.lines_of(protocol.scale, is_slider=is_slider)):
        values[f"label_{index}"] = line
    kinds = {span_based: name for name, span_based in KINDS.items()}
    for index, rule in enumerate(protocol.rating_rules):
        row = (rule.ratings, rule.split, kinds[rule.span_based])
        values |= {f"rule_{index}_{name}": one for name, one in zip(RULE_COLUMNS, row, strict=True)}
    for index, (split, share) in enumerate(protocol.split_shares):
        values |= {f"share_{index}_split": split}
        values |= {f"share_{index}_percent": shown(percent_of(share))}
    return values | criteria_form.initial_of(protocol)


class ProtocolForm(forms.Form):
    """A part of a protocol. `clean` builds the protocol and shows its problems at the fields.

    `base` is the protocol that the other parts come from; `protocol` is the result, and None until
    the form is valid. `draft` is the result without validation. `preset` is the protocol to compare
    with.
    """

    # The protocol's fields of this part.
    part: ClassVar[tuple[str, ...]]
    # The sections of the page, each with the beginnings of its fields' paths.
    sections: ClassVar[Mapping[str, tuple[str, ...]]]
    # Help texts that the page needs in place of the protocol's, and heights of texts, by field.
    page_help: ClassVar[Mapping[str, str]] = {}
    text_heights: ClassVar[Mapping[str, int]] = {}

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        base: Protocol,
        preset: Protocol | None = None,
        prefix: str | None = None,
    ) -> None:
        super().__init__(data, initial=initial_of(base), prefix=prefix)
        self.base = self.draft = base
        self.preset = preset
        self.protocol: Protocol | None = None
        # The numbers of the rows in use, by table; `build` sets them.
        self.rows: dict[str, list[int]] = {}
        for name, one in declared_fields(Protocol):
            if _begins(name, self.part):
                self.fields[name] = make_field(one, rows=self.text_heights.get(name, 3))
                self.fields[name].help_text = self.page_help.get(name, one.help)
        self.add_rows()

    def add_rows(self) -> None:
        """Add the fields of the tables, whose numbers of rows depend on the protocol."""

    def build(self, values: FormValues) -> Protocol:
        """The protocol with the values of this form, not validated."""
        return read(self.base, values, self.data)

    @property
    def shown_sections(self) -> dict[str, list[forms.BoundField]]:
        """The fields of each section, in the protocol's order, without the boxes of whole parts."""
        return {
            section: [self[name] for name in self._names(section) if not name.startswith("has_")]
            for section in self.sections
        }

    def open_sections(self) -> set[str]:
        """The sections to show open: those with an error or another value than the preset."""
        expected = initial_of(self.preset) if self.preset else self.initial
        return {
            section
            for section in self.sections
            if any(
                name in self.errors or self.is_changed(name, expected)
                for name in self._names(section)
            )
        }

    def _names(self, section: str) -> list[str]:
        return [name for name in self.fields if _begins(name, self.sections[section])]

    def is_changed(self, name: str, expected: Mapping[str, object]) -> bool:
        """Whether a field has another value than the initial one that is expected."""
        usual = self.fields[name].prepare_value(expected.get(name))
        return to_text(self[name].value()) != to_text(usual)

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        self.draft = self.build(values)
        try:
            self.protocol = self.draft.validated()
        except ProtocolError as error:
            for path, problem in error.problems.items():
                self._add_problem(path, problem)
        return values

    def _add_problem(self, path: str, problem: str) -> None:
        if path.partition(".")[0] not in self.part:
            other = f"{path}: {problem}. Correct it on the other page of the protocol."
            self.add_error(None, other)
            return
        field = self._field_of(path)
        if field is None or not self._has_error(field):
            self.add_error(field, to_sentence(PERCENT_PROBLEMS.get(problem, problem)))

    def row_count(self, prefix: str, bound: Items) -> int:
        """The number of rows to show: those in use plus empty ones, or those submitted.

        One row more than the bound may be submitted, so that the protocol's validation refuses it.
        """
        names = self.data if self.is_bound else self.initial
        rows = (re.fullmatch(rf"{prefix}_([0-9]{{1,4}})_[a-z]+", name) for name in names)
        used = max((int(row[1]) + 1 for row in rows if row), default=0)
        if self.is_bound:
            return min(max(used, MIN_ROWS), bound.max_items + 1)
        return min(max(used + EMPTY_ROWS, MIN_ROWS), bound.max_items)

    def rows_in_use(
        self,
        values: FormValues,
        prefix: str,
        count: int,
        columns: tuple[str, ...],
        needed: dict[str, str],
    ) -> list[int]:
        """The numbers of the rows that are filled in; incomplete rows get errors.

        needed: maps the required columns to their error messages.
        """
        complete = []
        for index in range(count):
            row = {name: values.get(f"{prefix}_{index}_{name}") for name in columns}
            has_error = any(f"{prefix}_{index}_{name}" in self.errors for name in columns)
            if has_error or all(value in (None, "") for value in row.values()):
                continue
            missing = [name for name in needed if row[name] in (None, "")]
            for name in missing:
                self.add_error(f"{prefix}_{index}_{name}", needed[name])
            if not missing:
                complete.append(index)
        self.rows[prefix] = complete
        return complete

    def _has_error(self, field: str) -> bool:
        """Whether the field already shows a problem; for a row's field, whether its table does."""
        prefix = field.partition("_")[0]
        if prefix in ("rule", "share"):
            return any(name.startswith(f"{prefix}_") for name in self.errors)
        return field in self.errors

    def _field_of(self, path: str) -> str | None:
        """The form field that shows a problem of the protocol."""
        part, *rest = path.split(".")
        if part == "scale" and rest:
            return f"label_{rest[0]}" if rest[1] == "label" else "low"
        if part == "rating_rules" and rest:
            return f"rule_{self.rows['rule'][int(rest[0])]}_{rest[1]}"
        if part == "criteria" and rest:
            row = self.rows["criterion"][int(rest[0])]
            return f"criterion_{row}_{criteria_form.column_of('.'.join(rest[1:]) or 'name')}"
        if part == "split_shares" and rest:
            return f"share_{self.rows['share'][int(rest[0])]}_{SHARE_COLUMNS[int(rest[1])]}"
        name = TABLE_FIELDS.get(path) or re.sub(r"_[0-9]+$", "", path.replace(".", "_"))
        return name if name in self.fields else None


def _begins(name: str, beginnings: tuple[str, ...]) -> bool:
    """Whether a field is one of these, or a part of one."""
    return f"{name}_".removeprefix("has_").startswith(tuple(f"{one}_" for one in beginnings))


def to_text(value: object) -> str:
    """A field's value as text, to compare a submitted value with an initial one."""
    return "" if value is None or value is False else str(value).replace("\r\n", "\n")
