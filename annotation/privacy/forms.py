"""Forms for the retention period and for erasing a worker."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.http import QueryDict

from annotation.privacy.services.erasing import Erasure
from annotation.privacy.services.retention import RetentionPeriod
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions


class RetentionForm(DataclassForm[RetentionPeriod]):
    """The retention period in days; empty for the site's."""

    help_texts = {"days": "Empty: the site's default."}


class EraseForm(DataclassForm[Erasure]):
    """What to erase, and the worker's name as confirmation."""

    only = ("ratings", "unpaid")
    help_texts = dict.fromkeys(only, "")

    name = forms.CharField(label="Type the worker's name to confirm", max_length=100)

    def __init__(
        self, worker: str, data: QueryDict | None = None, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.worker = worker

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.worker:
            raise forms.ValidationError(f"Type {self.worker} to confirm: erasing cannot be undone.")
        return name
