"""Forms that submit a metric and that hide labels."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings

from benchmarks.runs.external.metrics import installed_entry_points
from benchmarks.runs.models import Submission
from benchmarks.sets.models import Instance
from benchmarks.submissions.services import SubmissionInfo
from core.column_bounds import max_length

Kind = Submission.Kind


class SubmissionForm(forms.Form):
    """A submission of one kind, without the fields of the other kinds."""

    name = forms.CharField(
        max_length=max_length(Submission, "name"),
        help_text="The name on the board: letters, digits, spaces and . + @ # & - only.",
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
        help_text="What others need to know: the method, the model, the settings.",
    )
    scores = forms.FileField(label="File of scores", allow_empty_file=True)
    source = forms.CharField(max_length=max_length(Submission, "source"), label="Address")

    def __init__(self, *args: Any, kind: str) -> None:
        super().__init__(*args)
        self.kind = kind
        del self.fields["source" if kind in Submission.FROM_FILE else "scores"]
        if kind in Submission.FROM_FILE:
            formats = "JSON Lines, CSV, TSV, XLSX, Parquet or JSON"
            if kind == Kind.JUDGMENTS:
                formats, self.fields["scores"].label = "JSON Lines", "File of answers"
            max_mb = settings.SUBMISSION_MAX_BYTES / 2**20
            self.fields["scores"].help_text = f"{formats}; at most {max_mb:.0f} MB."
        elif kind == Kind.ENTRY_POINT:
            names = sorted(installed_entry_points())
            self.fields["source"] = forms.ChoiceField(
                label="Entry point", choices=[(name, name) for name in names]
            )
        else:
            self.fields[
                "source"
            ].help_text = (
                "An https:// URL on the public internet that answers POST requests as shown below."
            )
            self.fields["source"].widget.input_type = "url"

    def clean_scores(self) -> Any:
        return _check_size(self.cleaned_data["scores"])

    def info(self) -> SubmissionInfo:
        """Name, direction and description of the metric in a valid form."""
        values = self.cleaned_data
        return SubmissionInfo(
            values["name"],
            higher_is_better=values["direction"] == "higher",
            link=values["link"],
            authors=values["authors"],
            note=values["note"],
        )


class MissingScoresForm(forms.Form):
    """A file of the scores that a carried submission lacks."""

    scores = forms.FileField(label="File with the missing scores", allow_empty_file=True)

    def clean_scores(self) -> Any:
        return _check_size(self.cleaned_data["scores"])


def _check_size(file: Any) -> Any:
    if file.size > settings.SUBMISSION_MAX_BYTES:
        raise forms.ValidationError(
            f"The file has {file.size:,} bytes; at most {settings.SUBMISSION_MAX_BYTES:,} are "
            "allowed."
        )
    return file


class HiddenLabelsForm(forms.Form):
    """The split whose labels to hide or reveal."""

    split = forms.CharField(max_length=max_length(Instance, "split"), required=False, strip=False)
    do = forms.ChoiceField(choices=[("hide", "hide"), ("reveal", "reveal")])
