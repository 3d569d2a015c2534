"""Forms for the retention period and for erasing a worker."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.privacy.services.retention import MAX_RETENTION_DAYS


class RetentionForm(forms.Form):
    """The retention period in days; empty for the site's."""

    days = forms.IntegerField(
        label="Days after a worker's last work",
        min_value=0,
        max_value=MAX_RETENTION_DAYS,
        required=False,
        help_text="Empty: the site's default.",
    )


class EraseForm(forms.Form):
    """What to erase, and the worker's name as confirmation."""

    ratings = forms.BooleanField(label="Remove the worker's ratings too", required=False)
    unpaid = forms.BooleanField(label="Erase even if work is not reviewed or paid", required=False)
    name = forms.CharField(label="Type the worker's name to confirm", max_length=100)

    def __init__(self, worker: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.worker = worker

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.worker:
            raise forms.ValidationError(f"Type {self.worker} to confirm: erasing cannot be undone.")
        return name
