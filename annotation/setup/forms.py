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
from annotation.setup.protocol_form import (
    ProtocolForm,
    checkbox,
    percent,
    real,
    text,
    to_text,
    whole,
)
from annotation.setup.protocol_values import (
    RULE_COLUMNS,
    SHARE_COLUMNS,
    with_rules,
    with_task,
)
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
    folded = {
        "pairs": ("unit", "pairs_", "sets_"),
        "criteria": ("criterion_",),
        "texts": ("examples", "consent"),
        "skipped": ("drop_", "draw_questions"),
        "splits": ("share_",),
    }

    low = bounded_fields.whole_number(
        find_bound(ScalePoint, "value"), "Lowest value", "Usually 1 or 0.", required=True, initial=1
    )
    scale_kind = forms.ChoiceField(
        label="Raters choose",
        choices=[("points", "a point of the scale"), ("slider", "a number on a slider")],
        required=False,
    )
    unit = forms.ChoiceField(
        label="Raters judge",
        choices=[
            ("candidate", "one answer at a time"),
            ("pair", "which of two answers is better"),
            ("set", "which of three to five answers is best, and which is worst"),
        ],
        required=False,
    )
    pairs_design = forms.ChoiceField(
        label="Pairs of a question's answers",
        choices=[
            ("all", "every pair"),
            ("balanced", "a balanced part of them"),
        ],
        required=False,
    )
    pairs_per_candidate = whole("pairs.per_candidate", "Pairs of each answer, where balanced")
    sets_per_candidate = whole(
        "sets.per_candidate",
        "Sets of each answer",
        "Every set where an answer is in no more of them; else a balanced part.",
    )
    question = text("Question to raters", 2, "One sentence, shown above the scale.")
    instructions = text("Instructions", 8, "Markdown.")
    examples = text("Worked examples", 8, "Markdown.")
    consent = text("Consent", 4, "Raters agree to it before their first task. Markdown.")

    drop_equal_to_reference = checkbox("Skip candidates equal to a reference")
    drop_question_when_equal = checkbox(
        "Skip questions for which a system gave a reference word for word"
    )
    drop_number_against_number = checkbox("Skip items where both answers are numbers")
    drop_number_constituents = text(
        "Constituents whose numbers are skipped", 3, "One name per line. Empty: all."
    )
    drop_number_units = checkbox("Numbers may have a unit, as in “24 yards” and “31 yards”")
    drop_second_reference_below = real(
        "drop.second_reference_below",
        "Rate second references whose token F1 with the first is below",
        "They are then candidates instead of references. Empty: never.",
    )
    draw_questions = whole(
        "draw_questions",
        "Number of questions to rate, selected at random",
        "Selected from each upload, which can change the number. Empty: all.",
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
            with_task(self.base, values, rows),
            criteria=criteria_form.criteria_of(values, criteria),
        )


class RulesForm(ProtocolForm):
    """Who rates, how often and for how much, and how the ratings are checked and combined."""

    part = (
        *("qualification", "trial", "rating_rules", "hit", "pay", "time_limit_minutes"),
        *("requirements", "quality", "aggregation"),
    )
    folded = {
        "qualification": ("has_qualification", "qualification_"),
        "trial": ("has_trial", "trial_"),
        "requirements": ("requirements_",),
        "quality": ("quality_", "aggregation"),
    }

    has_qualification = checkbox("Raters take a qualification test first")
    qualification_candidates = whole("qualification.candidates", "Candidates in the test")
    qualification_pass_percent = percent("qualification.pass_share", "Percent correct to pass")
    qualification_tolerance = whole(
        "qualification.tolerance",
        "Tolerance",
        "Allowed distance from the correct rating: 0 or 1 scale points, on a slider any number.",
    )
    qualification_tries = whole("qualification.tries", "Tries")
    qualification_pay_each_try = checkbox("Every try is paid, not only the first")

    has_trial = checkbox("Run a trial before the full collection")
    trial_candidates = whole("trial.candidates", "Candidates in the trial")
    trial_ratings = whole("trial.ratings", "Ratings per candidate in the trial")
    trial_counted = checkbox(
        "The trial's ratings count: the full stage requests only the missing ones"
    )

    hit_max_candidates = whole("hit.max_candidates", "Max. candidates per HIT")
    hit_same_passage = checkbox("The candidates of a HIT share one passage")
    pay_dollars = bounded_fields.DollarsField(
        find_bound(Protocol, "pay.cents_per_full_hit"),
        label="Pay per full HIT in dollars",
        required=False,
    )
    pay_pro_rata = checkbox("Smaller HITs pay proportionally less, rounded up to a cent")
    time_limit_minutes = whole("time_limit_minutes", "Time limit in minutes")

    requirements_approval_percent = whole(
        "requirements.approval_percent", "Min. approval rate in percent"
    )
    requirements_approval_above = checkbox("The approval rate must exceed this value")
    requirements_approved_hits = whole("requirements.approved_hits", "Min. approved HITs")
    requirements_locales = forms.CharField(
        label="Countries", required=False, help_text="Country codes such as US, GB."
    )

    quality_gold_percent = percent("quality.gold_share", "Hidden checks: percent of HITs with one")
    quality_gold_tolerance = whole(
        "quality.gold_tolerance", "Hidden checks: tolerance", "Empty: as in the test."
    )
    quality_spot_check_percent = percent(
        "quality.spot_check_share", "Spot checks: percent of ratings selected"
    )
    quality_min_seconds_per_rating = real(
        "quality.min_seconds_per_rating",
        "Min. seconds per rating",
        "Faster workers get a warning; pay is not affected. 0: no limit.",
    )
    quality_straight_line_length = whole(
        "quality.straight_line_length",
        "Equal ratings in a row that cause a warning",
        "0: no limit.",
    )
    quality_zscore_threshold = real(
        "quality.zscore_threshold",
        "z-score filter: threshold",
        "0: no filter. The quality page shows what it removes, and can undo it.",
    )
    quality_zscore_from_start = checkbox(
        "Apply the z-score filter from the start",
        "It becomes a step of the ledger when the study is created. Otherwise the quality page "
        "suggests it.",
    )
    quality_max_removed = whole(
        "quality.max_removed", "z-score filter: max. ratings removed per candidate"
    )
    aggregation = forms.ChoiceField(
        label="Gold score", choices=[(name, DESCRIPTIONS[name]) for name in AGGREGATIONS]
    )

    def add_rows(self) -> None:
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
        return with_rules(self.base, values, rows)


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
            if name != "file"
            and to_text(submitted[name].value()) != to_text(submitted.initial.get(name))
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
