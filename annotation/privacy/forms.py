"""For how long ids are kept, and the erasing of a worker, as forms."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.privacy.services.retention import LONGEST_DAYS


class RetentionForm(forms.Form):
    """Days, or nothing for the installation's own term."""

    days = forms.IntegerField(
        label="Days after a worker's last work",
        min_value=0,
        max_value=LONGEST_DAYS,
        required=False,
        help_text="empty: as everywhere here",
    )


class EraseForm(forms.Form):
    """What goes, and the worker's name typed once more: it cannot be undone."""

    ratings = forms.BooleanField(label="remove their ratings too", required=False)
    unpaid = forms.BooleanField(label="even if their work is not decided or paid", required=False)
    name = forms.CharField(label="Their name, to confirm", max_length=100)

    def __init__(self, worker: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker = worker

    def clean_name(self) -> str:
        given: str = self.cleaned_data["name"].strip()
        if given != self.worker:
            raise forms.ValidationError(f"Type {self.worker}: erasing cannot be undone.")
        return given
