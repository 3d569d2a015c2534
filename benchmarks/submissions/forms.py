"""Forms that submit a metric and that hide labels."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from benchmarks.runs.external.metrics import installed_entry_points
from benchmarks.runs.models import Submission
from benchmarks.sets.models import Instance
from benchmarks.submissions.services.rules import NewSubmission
from core.column_bounds import max_length
from core.pages.derived import DataclassForm

Kind = Submission.Kind


class SubmissionForm(DataclassForm[NewSubmission]):
    """A submission of one kind, without the fields of the other kinds."""

    only = ("name", "authors", "link", "note", "source")
    required = ("source",)
    help_texts = {"source": ""}
    field_order = ("name", "direction", *only[1:-1], "scores", "source")

    direction = forms.ChoiceField(
        choices=[("higher", "Higher scores are better"), ("lower", "Lower scores are better")],
        initial="higher",
        widget=forms.RadioSelect,
        label="Which scores are better?",
    )
    scores = forms.FileField(label="File of scores", allow_empty_file=True)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        kind: str,
    ) -> None:
        super().__init__(data, files)
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

    def clean_scores(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["scores"]
        if (file.size or 0) > settings.SUBMISSION_MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; at most {settings.SUBMISSION_MAX_BYTES:,} are "
                "allowed."
            )
        return file

    def info(self) -> NewSubmission:
        """The submission of a valid form."""
        is_better = self.cleaned_data["direction"] == "higher"
        return self.value(kind=self.kind, higher_is_better=is_better)


class HiddenLabelsForm(forms.Form):
    """The split whose labels to hide or reveal."""

    split = forms.CharField(max_length=max_length(Instance, "split"), required=False, strip=False)
    do = forms.ChoiceField(choices=[("hide", "hide"), ("reveal", "reveal")])
