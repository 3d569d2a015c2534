"""What the forms of a protocol's parts have in common. All bounds come from the library's
dataclasses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from django import forms
from django.http import QueryDict

from annotation.setup import criteria_form
from annotation.setup.protocol_values import SHARE_COLUMNS, initial_of
from concord.bounds import Items, find_bound
from concord.protocols import Protocol, ProtocolError
from concord.protocols.rules import SHARES_MUST_ADD_UP
from concord.sentences import to_sentence
from core.pages import bounded_fields
from core.pages.queries import FormValues

# The minimum number of rows of a table, and the number of empty rows after those in use.
MIN_ROWS, EMPTY_ROWS = 6, 3
# The form field that shows a problem of the protocol whose path is not a field.
PROBLEM_FIELDS = {
    "scale": "low",
    "rating_rules": "rule_0_ratings",
    "split_shares": "share_0_percent",
    "pay.cents_per_full_hit": "pay_dollars",
    "qualification.pass_share": "qualification_pass_percent",
    "quality.gold_share": "quality_gold_percent",
    "quality.spot_check_share": "quality_spot_check_percent",
}

# Problems of shares, in the percentages that the form asks for.
PERCENT_PROBLEMS = {SHARES_MUST_ADD_UP: "the percentages must add up to 100"}


def whole(path: str, label: str, help: str = "") -> forms.IntegerField:
    return bounded_fields.whole_number(find_bound(Protocol, path), label, help)


def real(path: str, label: str, help: str = "") -> forms.FloatField:
    return bounded_fields.real_number(find_bound(Protocol, path), label, help)


def percent(path: str, label: str) -> bounded_fields.PercentField:
    return bounded_fields.PercentField(find_bound(Protocol, path), label=label, required=False)


def text(label: str, rows: int, help: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        strip=False,
        help_text=help,
        widget=forms.Textarea(attrs={"rows": rows, "dir": "auto"}),
    )


def checkbox(label: str, help: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=help)


class ProtocolForm(forms.Form):
    """A part of a protocol. `clean` builds the protocol and shows its problems at the fields.

    `base` is the protocol that the other parts come from; `protocol` is the result, and None until
    the form is valid. `draft` is the result without validation. `preset` is the protocol to compare
    with.
    """

    # The protocol's fields of this part.
    part: ClassVar[tuple[str, ...]]
    # The sections that are folded, each with the beginnings of its fields' names.
    folded: ClassVar[Mapping[str, tuple[str, ...]]]

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
        self.add_rows()

    def add_rows(self) -> None:
        """Add the fields of the tables, whose numbers of rows depend on the protocol."""

    def build(self, values: FormValues) -> Protocol:
        """The protocol with the values of this form, not validated."""
        raise NotImplementedError

    def open_sections(self) -> set[str]:
        """The folded sections to show open: those with an error or another value than the
        preset."""
        expected = self.initial
        if self.preset:
            expected = initial_of(self.preset)
        return {
            section
            for section, beginnings in self.folded.items()
            if any(
                name in self.errors or to_text(self[name].value()) != to_text(expected.get(name))
                for name in self.fields
                if name.startswith(beginnings)
            )
        }

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
        name = PROBLEM_FIELDS.get(path) or re.sub(r"_[0-9]+$", "", path.replace(".", "_"))
        return name if name in self.fields else None


def to_text(value: object) -> str:
    """A field's value as text, to compare a submitted value with an initial one."""
    return "" if value is None or value is False else str(value).replace("\r\n", "\n")
