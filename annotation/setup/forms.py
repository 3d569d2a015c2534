"""The forms of a study's set-up: the two parts of its protocol, and a new study."""

from __future__ import annotations

from dataclasses import replace

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from annotation.quality.services.gold import DESCRIPTIONS
from annotation.setup import criteria_form
from annotation.setup.inputs import StudyInput
from annotation.setup.protocol_form import KINDS, RULE_COLUMNS, SHARE_COLUMNS, ProtocolForm
from annotation.setup.services.study_creation import NAME_IN_USE, name_from
from annotation.studies.forms import candidate_file
from annotation.studies.inputs import SLUG_TEXT
from annotation.studies.models import Study
from concord.bounds import Items, find_bound
from concord.protocols import Protocol, RatingRule, ScalePoint
from concord.protocols.protocol import AGGREGATIONS
from concord.sentences import to_sentence
from core.pages import bounded_fields
from core.pages.derived import DataclassForm
from core.pages.queries import FormValues

KIND_LABELS = {"": "any constituent", "span": "span-based", "generative": "generative"}
POINTS: Items = find_bound(Protocol, "scale")
RULES: Items = find_bound(Protocol, "rating_rules")
SHARES: Items = find_bound(Protocol, "split_shares")


class TaskForm(ProtocolForm):
    """What raters are asked and see, and which of the uploaded answers they rate."""

    part = (
        *("question", "scale", "scale_kind", "unit", "pairs", "sets", "criteria"),
        *("instructions", "examples", "consent"),
        *("drop", "draw_questions", "split_shares"),
    )
    sections = {
        "pairs": ("unit", "pairs", "sets"),
        "criteria": ("criterion",),
        "texts": ("examples", "consent"),
        "skipped": ("drop", "draw_questions"),
        "splits": ("share",),
    }

    text_heights = {"question": 2, "instructions": 8, "examples": 8, "consent": 4}
    page_help = {
        "drop_number_constituents": "One name per line. Empty: all.",
        "drop_second_reference_below": "They are then candidates instead of references. Empty: "
        "never.",
        "draw_questions": "Selected from each upload, which can change the number. Empty: all.",
    }

    low = bounded_fields.whole_number(
        find_bound(ScalePoint, "value"), "Lowest value", "Usually 1 or 0.", required=True, initial=1
    )

    def add_rows(self) -> None:
        self.share_count = self.row_count("share", SHARES)
        for index in range(POINTS.max_items):
            self.fields[f"label_{index}"] = forms.CharField(
                label=f"Point {index + 1}",
                required=False,
                widget=forms.TextInput(attrs={"dir": "auto"}),
            )
        self.criterion_count = criteria_form.count_rows(
            self.data if self.is_bound else None, self.base
        )
        criteria_form.add_fields(self, self.criterion_count)
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
            f"at most {label.max_chars} characters. The points end at the last label. Marks of "
            "a slider are written with their values, such as 0: nothing."
        )

    @property
    def share_rows_rule(self) -> str:
        """How to get more rows in the table of splits."""
        return f"Saving adds empty rows, up to {SHARES.max_items}."

    def points(self) -> list[forms.BoundField]:
        return [self[f"label_{index}"] for index in range(POINTS.max_items)]

    def points_in_use(self) -> list[forms.BoundField]:
        """The points up to the last one in use, at least as many as a scale needs."""
        in_use = [at for at, field in enumerate(self.points(), 1) if field.value() or field.errors]
        return self.points()[: max([POINTS.min_items, *in_use])]

    def further_points(self) -> list[forms.BoundField]:
        """The other points, which the page folds."""
        return self.points()[len(self.points_in_use()) :]

    @property
    def criteria_rule(self) -> str:
        """How to get more criteria."""
        return f"Saving adds empty ones, up to {criteria_form.CRITERIA.max_items}."

    def criteria(self) -> list[criteria_form.CriterionFields]:
        return [
            criteria_form.CriterionFields(
                index + 1,
                {name: self[f"criterion_{index}_{name}"] for name in criteria_form.COLUMNS},
                bool(self[f"criterion_{index}_name"].value())
                or any(name.startswith(f"criterion_{index}_") for name in self.errors),
            )
            for index in range(self.criterion_count)
        ]

    def shares(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"share_{index}_{name}"] for name in SHARE_COLUMNS]
            for index in range(self.share_count)
        ]

    def build(self, values: FormValues) -> Protocol:
        needed = {
            "split": to_sentence(SHARES.each[0].required),
            "percent": "Enter the share of the split.",
        }
        rows = self.rows_in_use(values, "share", self.share_count, SHARE_COLUMNS, needed)
        criteria = self.rows_in_use(
            values, "criterion", self.criterion_count, criteria_form.TYPED, criteria_form.NEEDED
        )
        if values.get("scale_kind") == "slider":
            for index in range(POINTS.max_items):
                label = values.get(f"label_{index}")
                if label and criteria_form.point_of(label) is None:
                    self.add_error(f"label_{index}", criteria_form.POINT_PROBLEM)
        for name in criteria_form.point_problems(values, criteria):
            self.add_error(name, criteria_form.POINT_PROBLEM)
        return replace(
            super().build(values),
            scale=self._scale(values),
            split_shares=tuple(
                tuple(values[f"share_{index}_{name}"] for name in SHARE_COLUMNS) for index in rows
            ),
            criteria=criteria_form.criteria_of(values, criteria),
        )

    def _scale(self, values: FormValues) -> tuple[ScalePoint, ...]:
        """The points up to the last one with a label."""
        lines = [values.get(f"label_{index}", "") for index in range(POINTS.max_items)]
        count = max((number for number, line in enumerate(lines, 1) if line), default=0)
        is_slider = values.get("scale_kind") == "slider"
        return tuple(criteria_form.points_of(lines[:count], values.get("low"), is_slider=is_slider))


class RulesForm(ProtocolForm):
    """Who rates, how often and for how much, and how the ratings are checked and combined."""

    part = (
        *("qualification", "trial", "rating_rules", "hit", "pay", "time_limit_minutes"),
        *("requirements", "quality", "aggregation"),
    )
    sections = {
        "hits": ("hit", "pay", "time_limit_minutes"),
        "qualification": ("qualification",),
        "trial": ("trial",),
        "requirements": ("requirements",),
        "quality": ("quality", "aggregation"),
    }

    page_help = {"quality_gold_tolerance": "Empty: as in the test."}

    def add_rows(self) -> None:
        aggregation = self.fields["aggregation"]
        assert isinstance(aggregation, forms.ChoiceField)
        aggregation.choices = [(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
        self.rule_count = self.row_count("rule", RULES)
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

    @property
    def rows_rule(self) -> str:
        """How to get more rows in the table of rating rules."""
        return f"Saving adds empty rows, up to {RULES.max_items}."

    def rules(self) -> list[list[forms.BoundField]]:
        return [
            [self[f"rule_{index}_{name}"] for name in RULE_COLUMNS]
            for index in range(self.rule_count)
        ]

    def build(self, values: FormValues) -> Protocol:
        needed = {"ratings": to_sentence(RULES.required)}
        rows = self.rows_in_use(values, "rule", self.rule_count, RULE_COLUMNS, needed)
        columns = ([values[f"rule_{index}_{name}"] for name in RULE_COLUMNS] for index in rows)
        return replace(
            super().build(values),
            rating_rules=tuple(
                RatingRule(ratings, split, KINDS[kind]) for ratings, split, kind in columns
            ),
        )


class NewStudyForm(TaskForm, DataclassForm[StudyInput]):
    """The first part of the protocol with the study's name and title."""

    only = ("slug", "title")
    optional = ("slug",)
    help_texts = {
        "slug": "Part of the study's URL, and the default name of its judgment set. Empty: from "
        f"the title. {SLUG_TEXT.pattern_help}"
    }

    file = candidate_file("File of answers", required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        base: Protocol,
        preset: Protocol | None = None,
    ) -> None:
        super().__init__(data, base=base, preset=preset)
        self.files = self.files if files is None else files

    @classmethod
    def with_preset(cls, data: QueryDict, old: Protocol, new: Protocol) -> NewStudyForm:
        """A form with the values of `new`, except those that `data` changes in the preset `old`."""
        submitted, form = cls(data, base=old), cls(base=new, preset=new)
        changed = {
            name: submitted[name].value()
            for name in submitted.fields
            if name != "file" and submitted.is_changed(name, submitted.initial)
        }
        form.initial.update(changed)
        return form

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug and Study.all_rows.filter(slug=slug).exists():
            raise forms.ValidationError(NAME_IN_USE)
        return slug

    @property
    def short_name(self) -> str:
        """The short name of a valid form: as entered, or made of the title."""
        return self.cleaned_data["slug"] or name_from(self.cleaned_data["title"])
