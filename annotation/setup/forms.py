"""The protocol of a study as a form. All bounds come from the library's dataclasses."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.setup.protocol_values import RULE_COLUMNS, SHARE_COLUMNS, protocol_of
from annotation.setup.services.study_creation import NAME_IN_USE
from annotation.studies.models import SLUG, SLUG_HELP, Study
from concord.bounds import Items, find_bound
from concord.protocols import Protocol, ProtocolError, RatingRule, ScalePoint
from concord.protocols.protocol import AGGREGATIONS, SHARES_MUST_ADD_UP
from concord.sentences import to_sentence
from core.column_bounds import max_length
from core.pages import bounded_fields

KIND_LABELS = {"": "any constituent", "span": "span-based", "generative": "generative"}
POINTS: Items = find_bound(Protocol, "scale")
RULES: Items = find_bound(Protocol, "rating_rules")
SHARES: Items = find_bound(Protocol, "split_shares")
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


def _whole(path: str, label: str, help: str = "") -> forms.IntegerField:
    return bounded_fields.whole_number(find_bound(Protocol, path), label, help)


def _real(path: str, label: str, help: str = "") -> forms.FloatField:
    return bounded_fields.real_number(find_bound(Protocol, path), label, help)


def _percent(path: str, label: str) -> bounded_fields.PercentField:
    return bounded_fields.PercentField(find_bound(Protocol, path), label=label, required=False)


def _text(label: str, rows: int, help: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        strip=False,
        help_text=help,
        widget=forms.Textarea(attrs={"rows": rows, "dir": "auto"}),
    )


def _checkbox(label: str, help: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=help)


class ProtocolForm(forms.Form):
    """Every field of a protocol. `clean` builds the protocol and shows its problems at the
    fields."""

    low = bounded_fields.whole_number(
        find_bound(ScalePoint, "value"), "Lowest value", "Usually 1 or 0.", required=True, initial=1
    )
    question = _text("Question to raters", 2, "One sentence, shown above the scale.")
    instructions = _text("Instructions", 8, "Markdown.")
    examples = _text("Worked examples", 8, "Markdown.")
    consent = _text("Consent", 4, "Raters agree to it before their first task. Markdown.")

    has_qualification = _checkbox("Raters take a qualification test first")
    qualification_candidates = _whole("qualification.candidates", "Candidates in the test")
    qualification_pass_percent = _percent("qualification.pass_share", "Percent correct to pass")
    qualification_tolerance = _whole(
        "qualification.tolerance",
        "Tolerance",
        "Allowed distance from the correct rating in scale points: 0 or 1.",
    )
    qualification_tries = _whole("qualification.tries", "Tries")

    has_trial = _checkbox("Run a trial before the full collection")
    trial_candidates = _whole("trial.candidates", "Candidates in the trial")
    trial_ratings = _whole("trial.ratings", "Ratings per candidate in the trial")
    trial_counted = _checkbox(
        "The trial's ratings count: the full stage requests only the missing ones"
    )

    hit_max_candidates = _whole("hit.max_candidates", "Max. candidates per HIT")
    hit_same_passage = _checkbox("The candidates of a HIT share one passage")
    pay_dollars = bounded_fields.DollarsField(
        find_bound(Protocol, "pay.cents_per_full_hit"),
        label="Pay per full HIT in dollars",
        required=False,
    )
    pay_pro_rata = _checkbox("Smaller HITs pay proportionally less, rounded up to a cent")
    time_limit_minutes = _whole("time_limit_minutes", "Time limit in minutes")

    requirements_approval_percent = _whole(
        "requirements.approval_percent", "Min. approval rate in percent"
    )
    requirements_approval_above = _checkbox("The approval rate must exceed this value")
    requirements_approved_hits = _whole("requirements.approved_hits", "Min. approved HITs")
    requirements_locales = forms.CharField(
        label="Countries", required=False, help_text="Country codes such as US, GB."
    )

    drop_equal_to_reference = _checkbox("Skip candidates equal to a reference")
    drop_question_when_equal = _checkbox(
        "Skip questions for which a system gave a reference word for word"
    )
    drop_number_against_number = _checkbox("Skip items where both answers are numbers")
    drop_number_constituents = _text(
        "Constituents whose numbers are skipped", 3, "One name per line. Empty: all."
    )
    drop_number_units = _checkbox("Numbers may have a unit, as in “24 yards” and “31 yards”")
    drop_second_reference_below = _real(
        "drop.second_reference_below",
        "Rate second references whose token F1 with the first is below",
        "They are then candidates instead of references. Empty: never.",
    )
    draw_questions = _whole(
        "draw_questions",
        "Number of questions to rate, selected at random",
        "Selected from each upload, which can change the number. Empty: all.",
    )

    quality_gold_percent = _percent("quality.gold_share", "Hidden checks: percent of HITs with one")
    quality_spot_check_percent = _percent(
        "quality.spot_check_share", "Spot checks: percent of ratings selected"
    )
    quality_min_seconds_per_rating = _real(
        "quality.min_seconds_per_rating",
        "Min. seconds per rating",
        "Faster workers get a warning; pay is not affected. 0: no limit.",
    )
    quality_straight_line_length = _whole(
        "quality.straight_line_length",
        "Equal ratings in a row that cause a warning",
        "0: no limit.",
    )
    quality_zscore_threshold = _real(
        "quality.zscore_threshold",
        "z-score filter: threshold",
        "0: no filter. The quality page shows what it removes, and can undo it.",
    )
    quality_zscore_from_start = _checkbox(
        "Apply the z-score filter from the start",
        "It becomes a step of the ledger when the study is created. Otherwise the quality page "
        "suggests it.",
    )
    quality_max_removed = _whole(
        "quality.max_removed", "z-score filter: max. ratings removed per candidate"
    )
    aggregation = forms.ChoiceField(
        label="Gold score", choices=[(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.protocol: Protocol | None = None
        self.rule_count = self._row_count("rule", RULES)
        self.share_count = self._row_count("share", SHARES)
        for index in range(POINTS.max_items):
            self.fields[f"label_{index}"] = forms.CharField(
                label=f"Point {index + 1}",
                required=False,
                widget=forms.TextInput(attrs={"dir": "auto"}),
            )
        ratings, split = find_bound(RatingRule, "ratings"), find_bound(RatingRule, "split")
        for index in range(self.rule_count):
            row = f"Rule {index + 1}: "
            self.fields[f"rule_{index}_ratings"] = bounded_fields.whole_number(
                ratings, row + "ratings"
            )
            self.fields[f"rule_{index}_split"] = bounded_fields.line(split, row + "split")
            self.fields[f"rule_{index}_kind"] = forms.ChoiceField(
                label=row + "constituent", choices=list(KIND_LABELS.items()), required=False
            )
        name, share = SHARES.each
        for index in range(self.share_count):
            row = f"Split {index + 1}"
            self.fields[f"share_{index}_split"] = bounded_fields.line(name, row)
            self.fields[f"share_{index}_percent"] = bounded_fields.PercentField(
                share, label=f"{row}: percent", required=False
            )

    @property
    def scale_rule(self) -> str:
        """The rule for the scale's points."""
        label = find_bound(ScalePoint, "label")
        return (
            f"{POINTS.min_items} to {POINTS.max_items} points, lowest first, each with a label of "
            f"at most {label.max_chars} characters. The points end at the last label."
        )

    @property
    def rows_rule(self) -> str:
        """How to get more rows in the table of rating rules."""
        return f"Saving adds empty rows, up to {RULES.max_items}."

    @property
    def share_rows_rule(self) -> str:
        """How to get more rows in the table of splits."""
        return f"Saving adds empty rows, up to {SHARES.max_items}."

    def points(self) -> list[forms.BoundField]:
        return [self[f"label_{index}"] for index in range(POINTS.max_items)]

    def rules(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"rule_{index}_{name}"] for name in RULE_COLUMNS]
            for index in range(self.rule_count)
        ]

    def shares(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"share_{index}_{name}"] for name in SHARE_COLUMNS]
            for index in range(self.share_count)
        ]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        self.rule_rows = self._rows_in_use(
            values, "rule", RULE_COLUMNS, {"ratings": to_sentence(RULES.required)}
        )
        self.share_rows = self._rows_in_use(
            values,
            "share",
            SHARE_COLUMNS,
            {
                "split": to_sentence(SHARES.each[0].required),
                "percent": "Enter the share of the split.",
            },
        )
        protocol = protocol_of(values, self.rule_rows, self.share_rows)
        try:
            self.protocol = protocol.validated()
        except ProtocolError as error:
            for path, problem in error.problems.items():
                field = self._field_of(path)
                if field is None or not self._has_error(field):
                    self.add_error(field, to_sentence(PERCENT_PROBLEMS.get(problem, problem)))
        return values

    def _row_count(self, prefix: str, bound: Items) -> int:
        """The number of rows to show: those in use plus empty ones, or those submitted.

        One row more than the bound may be submitted, so that the protocol's validation refuses it.
        """
        names = self.data if self.is_bound else self.initial
        rows = (re.fullmatch(rf"{prefix}_([0-9]{{1,4}})_[a-z]+", name) for name in names)
        used = max((int(row[1]) + 1 for row in rows if row), default=0)
        if self.is_bound:
            return min(max(used, MIN_ROWS), bound.max_items + 1)
        return min(max(used + EMPTY_ROWS, MIN_ROWS), bound.max_items)

    def _rows_in_use(
        self, values: dict[str, Any], prefix: str, columns: tuple[str, ...], needed: dict[str, str]
    ) -> list[int]:
        """The numbers of the rows that are filled in; incomplete rows get errors.

        needed: maps the required columns to their error messages.
        """
        complete = []
        count = self.rule_count if prefix == "rule" else self.share_count
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
            return f"rule_{self.rule_rows[int(rest[0])]}_{rest[1]}"
        if part == "split_shares" and rest:
            return f"share_{self.share_rows[int(rest[0])]}_{SHARE_COLUMNS[int(rest[1])]}"
        name = PROBLEM_FIELDS.get(path) or re.sub(r"_[0-9]+$", "", path.replace(".", "_"))
        return name if name in self.fields else None


class NewStudyForm(ProtocolForm):
    """The protocol form with the study's name and title."""

    slug = forms.RegexField(
        SLUG,
        label="Short name",
        max_length=max_length(Study, "slug"),
        help_text=f"Part of the study's URL, and the default name of its judgment set. {SLUG_HELP}",
        error_messages={"invalid": SLUG_HELP},
    )
    title = forms.CharField(label="Title", max_length=max_length(Study, "title"))

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if Study.all_rows.filter(slug=slug).exists():
            raise forms.ValidationError(NAME_IN_USE)
        return slug
