"""What people fill in to submit a metric, and which labels editors hide."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from benchmarks.runs.external.metrics import installed
from benchmarks.runs.models import Submission
from benchmarks.sets.models import Instance
from benchmarks.submissions.services import About
from core.column_bounds import max_length

Kind = Submission.Kind


class SubmissionForm(forms.Form):
    """A submission of one kind. The fields of the other kinds are not there."""

    name = forms.CharField(
        max_length=max_length(Submission, "name"),
        help_text="As the board will show it: letters, digits, spaces and . + @ # & - only.",
    )
    direction = forms.ChoiceField(
        choices=[("higher", "Higher scores are better"), ("lower", "Lower scores are better")],
        initial="higher",
        widget=forms.RadioSelect,
        label="Which scores are better?",
    )
    authors = forms.CharField(max_length=max_length(Submission, "authors"), required=False)
    link = forms.URLField(
        max_length=max_length(Submission, "link"),
        required=False,
        help_text="A paper, code or model card.",
        assume_scheme="https",
    )
    note = forms.CharField(
        max_length=max_length(Submission, "note"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="What it is, which model, which settings: whatever another would need.",
    )
    scores = forms.FileField(label="File of scores", allow_empty_file=True)
    source = forms.CharField(max_length=max_length(Submission, "source"), label="Address")

    def __init__(self, *args: Any, kind: str) -> None:
        super().__init__(*args)
        self.kind = kind
        del self.fields["source" if kind == Kind.SCORES else "scores"]
        if kind == Kind.SCORES:
            most = settings.SUBMISSION_MAX_BYTES / 2**20
            self.fields["scores"].help_text = f"JSON Lines, UTF-8, at most {most:.0f} MB."
        elif kind == Kind.ENTRY_POINT:
            names = sorted(installed())
            self.fields["source"] = forms.ChoiceField(
                label="Entry point", choices=[(name, name) for name in names]
            )
        else:
            self.fields[
                "source"
            ].help_text = (
                "https://, on the public internet. It must answer a POST of JSON as below."
            )
            self.fields["source"].widget.input_type = "url"

    def clean_scores(self) -> Any:
        file = self.cleaned_data["scores"]
        if file.size > settings.SUBMISSION_MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {settings.SUBMISSION_MAX_BYTES:,} are "
                "taken."
            )
        return file

    def about(self) -> About:
        """What a valid form says of the metric."""
        values = self.cleaned_data
        return About(
            values["name"],
            higher_is_better=values["direction"] == "higher",
            link=values["link"],
            authors=values["authors"],
            note=values["note"],
        )


class HiddenLabelsForm(forms.Form):
    """Which split's labels to hide, or to show again."""

    split = forms.CharField(max_length=max_length(Instance, "split"), required=False, strip=False)
    do = forms.ChoiceField(choices=[("hide", "hide"), ("reveal", "reveal")])
