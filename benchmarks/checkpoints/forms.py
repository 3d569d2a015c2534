"""The form that imports a checkpoint, and its fields in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

from benchmarks.checkpoints.models import NAME, NAME_HELP
from concord.bounds import REQUIRED, Text, described
from core.pages.derived import DataclassForm


@dataclass(frozen=True, slots=True)
class CheckpointName:
    """A checkpoint to import, which becomes a metric of this name."""

    name: str = field(
        metadata=described(
            Text(60, REQUIRED, pattern=rf"^{NAME}\Z", pattern_help=f"Allowed: {NAME_HELP.lower()}"),
            help=f"Name of the metric. {NAME_HELP}",
        )
    )


class CheckpointImportForm(DataclassForm[CheckpointName]):
    """A checkpoint's zip file and its name."""

    file = forms.FileField(
        label="Zip file",
        help_text="The folder of a training by the command line, or a checkpoint exported here.",
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > settings.CHECKPOINT_MAX_BYTES + 10_000_000:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; checkpoints of at most "
                f"{settings.CHECKPOINT_MAX_BYTES:,} bytes are allowed."
            )
        return file
