"""The protocol of a study as a form: every bound is that of the library's dataclasses."""

from __future__ import annotations

import re
from typing import Any

from django import forms

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.setup.protocol_values import RULE_COLUMNS, SHARE_COLUMNS, protocol_of
from annotation.studies.models import SLUG, SLUG_HELP, Study
from concord.bounds import Items, find_bound
from concord.protocols import Protocol, ProtocolError, RatingRule, ScalePoint
from concord.protocols.protocol import AGGREGATIONS
from concord.sentences import to_sentence
from core.column_bounds import max_length
from core.pages import bounded_fields

KIND_LABELS = {"": "any constituent", "span": "span-based", "generative": "generative"}
POINTS: Items = find_bound(Protocol, "scale")
RULES: Items = find_bound(Protocol, "rating_rules")
SHARES: Items = find_bound(Protocol, "split_shares")
# Rows of a table of rules or shares: so many at least, and so many empty ones after those in use.
MIN_ROWS, EMPTY_ROWS = 6, 3
# Where a fault of the protocol is shown, when its own path is no field of the form.
PLACES = {
    "scale": "low",
    "rating_rules": "rule_0_ratings",
    "split_shares": "share_0_percent",
    "pay.cents_a_full_hit": "pay_dollars",
    "qualification.pass_share": "qualification_pass_percent",
    "quality.gold_share": "quality_gold_percent",
    "quality.spot_check_share": "quality_spot_check_percent",
}


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


def _tick(label: str, help: str = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=help)


class ProtocolForm(forms.Form):
    """Every field of a protocol. `clean` makes the protocol; its faults stand at their fields."""

    low = bounded_fields.whole_number(
        find_bound(ScalePoint, "value"), "Lowest value", "Usually 1 or 0.", required=True, initial=1
    )
    question = _text("What raters judge", 2, "One sentence above the scale.")
    instructions = _text("Instructions", 8, "Markdown.")
    examples = _text("Worked examples", 8, "Markdown.")
    consent = _text("Consent", 4, "What raters agree to before their first task. Markdown.")

    has_qualification = _tick("Raters take a qualification test first")
    qualification_candidates = _whole("qualification.candidates", "Candidates in the test")
    qualification_pass_percent = _percent("qualification.pass_share", "Per cent needed to pass")
    qualification_tolerance = _whole(
        "qualification.tolerance",
        "Tolerance",
        "Scale points an answer may lie beside its key: 0 or 1.",
    )
    qualification_tries = _whole("qualification.tries", "Tries")

    has_trial = _tick("A trial comes before the full collection")
    trial_candidates = _whole("trial.candidates", "Candidates in the trial")
    trial_ratings = _whole("trial.ratings", "Ratings a candidate in the trial")
    trial_counted = _tick(
        "The trial's ratings count: the full collection asks only for what is lacking"
    )

    hit_most_candidates = _whole("hit.most_candidates", "Candidates a HIT, at most")
    hit_same_passage = _tick("The candidates of a HIT share one passage")
    pay_dollars = bounded_fields.DollarsField(
        find_bound(Protocol, "pay.cents_a_full_hit"),
        label="Pay for a full HIT, in dollars",
        required=False,
    )
    pay_pro_rata = _tick("A smaller HIT pays pro rata, rounded up to a cent")
    time_limit_minutes = _whole("time_limit_minutes", "Time limit, in minutes")

    requirements_approval_percent = _whole(
        "requirements.approval_percent", "Approval rate, per cent at least"
    )
    requirements_approval_above = _tick("The approval rate must be higher than that, not equal")
    requirements_approved_hits = _whole("requirements.approved_hits", "Approved HITs, at least")
    requirements_locales = forms.CharField(
        label="Countries", required=False, help_text="Codes such as US, GB."
    )

    drop_equal_to_reference = _tick("A candidate equal to a reference is not rated")
    drop_question_when_equal = _tick(
        "A question is left out when a system gave a reference word for word"
    )
    drop_number_against_number = _tick("A number against a number is not rated")
    drop_number_constituents = _text(
        "Constituents for which numbers are not rated", 3, "One name a line. Empty: all."
    )
    drop_number_units = _tick("A number may have a unit, as in “24 yards” against “31 yards”")
    drop_second_reference_below = _real(
        "drop.second_reference_below",
        "Rate a second reference whose token F1 with the first is below",
        "It is no reference then. Empty: never.",
    )
    draw_questions = _whole(
        "draw_questions",
        "Questions to rate, drawn at random",
        "Of those that are uploaded; each upload can change it. Empty: all.",
    )

    quality_gold_percent = _percent(
        "quality.gold_share", "Hidden checks: per cent of HITs that hold one"
    )
    quality_spot_check_percent = _percent(
        "quality.spot_check_share", "Spot checks: per cent of ratings drawn"
    )
    quality_fewest_seconds_a_rating = _real(
        "quality.fewest_seconds_a_rating",
        "Seconds a rating, at least",
        "0: no rule. A sign for you; pay is untouched.",
    )
    quality_straight_line_length = _whole(
        "quality.straight_line_length", "Equal ratings in a row that are flagged", "0: no rule."
    )
    quality_zscore_threshold = _real(
        "quality.zscore_threshold",
        "z-score filter: threshold",
        "0: none. The quality page shows what it removes, and can undo it.",
    )
    quality_zscore_from_start = _tick(
        "The z-score filter applies from the start",
        "It is a step of the ledger when the study is made. Otherwise the quality page offers it.",
    )
    quality_at_most_removed = _whole(
        "quality.at_most_removed", "z-score filter: ratings removed of a candidate, at most"
    )
    aggregation = forms.ChoiceField(
        label="Gold score", choices=[(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.protocol: Protocol | None = None
        self.rule_count = self._row_count("rule", RULES)
        self.share_count = self._row_count("share", SHARES)
        for at in range(POINTS.max_items):
            self.fields[f"label_{at}"] = forms.CharField(
                label=f"Point {at + 1}",
                required=False,
                widget=forms.TextInput(attrs={"dir": "auto"}),
            )
        ratings, split = find_bound(RatingRule, "ratings"), find_bound(RatingRule, "split")
        for at in range(self.rule_count):
            row = f"Rule {at + 1}: "
            self.fields[f"rule_{at}_ratings"] = bounded_fields.whole_number(
                ratings, row + "ratings"
            )
            self.fields[f"rule_{at}_split"] = bounded_fields.line(split, row + "split")
            self.fields[f"rule_{at}_kind"] = forms.ChoiceField(
                label=row + "constituent", choices=list(KIND_LABELS.items()), required=False
            )
        name, share = SHARES.each
        for at in range(self.share_count):
            row = f"Split {at + 1}"
            self.fields[f"share_{at}_split"] = bounded_fields.line(name, row)
            self.fields[f"share_{at}_percent"] = bounded_fields.PercentField(
                share, label=f"{row}: per cent", required=False
            )

    @property
    def scale_rule(self) -> str:
        """What the scale's points must be."""
        label = find_bound(ScalePoint, "label")
        return (
            f"{POINTS.min_items} to {POINTS.max_items} points, lowest first, each with a label of "
            f"at most {label.max_chars} characters. The points end at the last label."
        )

    @property
    def rows_rule(self) -> str:
        """How to get more rows in the table of rules."""
        return f"Saving gives more empty rows, up to {RULES.max_items}."

    @property
    def share_rows_rule(self) -> str:
        """How to get more rows in the table of splits."""
        return f"Saving gives more empty rows, up to {SHARES.max_items}."

    def points(self) -> list[forms.BoundField]:
        return [self[f"label_{at}"] for at in range(POINTS.max_items)]

    def rules(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"rule_{at}_{name}"] for name in RULE_COLUMNS] for at in range(self.rule_count)
        ]

    def shares(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"share_{at}_{name}"] for name in SHARE_COLUMNS] for at in range(self.share_count)
        ]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        self.rule_rows = self._rows_in_use(
            values, "rule", RULE_COLUMNS, {"ratings": "Say how many ratings such a candidate gets."}
        )
        self.share_rows = self._rows_in_use(
            values,
            "share",
            SHARE_COLUMNS,
            {"split": "Name the split.", "percent": "Give the split's share."},
        )
        protocol = protocol_of(values, self.rule_rows, self.share_rows)
        try:
            self.protocol = protocol.validated()
        except ProtocolError as error:
            for path, problem in error.problems.items():
                place = self._place(path)
                if place is None or not self._is_marked(place):
                    self.add_error(place, to_sentence(problem))
        return values

    def _row_count(self, prefix: str, bound: Items) -> int:
        """Rows to show: of a new form those in use and some empty ones, else those posted.

        One row more than the bound may be posted, so that the protocol's check refuses it.
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
        """The numbers of the rows that are filled in; what one of them lacks is marked.

        needed: the columns that such a row must have -> a sentence where one is empty.
        """
        complete = []
        count = self.rule_count if prefix == "rule" else self.share_count
        for at in range(count):
            row = {name: values.get(f"{prefix}_{at}_{name}") for name in columns}
            faulty = any(f"{prefix}_{at}_{name}" in self.errors for name in columns)
            if faulty or all(value in (None, "") for value in row.values()):
                continue
            lacking = [name for name in needed if row[name] in (None, "")]
            for name in lacking:
                self.add_error(f"{prefix}_{at}_{name}", needed[name])
            if not lacking:
                complete.append(at)
        return complete

    def _is_marked(self, place: str) -> bool:
        """Whether the field, or for a row's field its table, has a fault already."""
        prefix = place.partition("_")[0]
        if prefix in ("rule", "share"):
            return any(name.startswith(f"{prefix}_") for name in self.errors)
        return place in self.errors

    def _place(self, path: str) -> str | None:
        """The field at which a fault of the protocol is shown."""
        part, *rest = path.split(".")
        if part == "scale" and rest:
            return f"label_{rest[0]}" if rest[1] == "label" else "low"
        if part == "rating_rules" and rest:
            return f"rule_{self.rule_rows[int(rest[0])]}_{rest[1]}"
        if part == "split_shares" and rest:
            return f"share_{self.share_rows[int(rest[0])]}_{SHARE_COLUMNS[int(rest[1])]}"
        name = PLACES.get(path) or re.sub(r"_[0-9]+$", "", path.replace(".", "_"))
        return name if name in self.fields else None


class NewStudyForm(ProtocolForm):
    """A study's name besides its protocol."""

    slug = forms.RegexField(
        SLUG,
        label="Short name",
        max_length=max_length(Study, "slug"),
        help_text=f"The name of its address and of the set it freezes to. {SLUG_HELP}",
        error_messages={"invalid": SLUG_HELP},
    )
    title = forms.CharField(label="Title", max_length=max_length(Study, "title"))

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if Study.objects.filter(slug=slug).exists():
            raise forms.ValidationError("There is a study of this name already.")
        return slug
