"""Forms of a study's settings: its raters' language, its copy, its deletion."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.http import QueryDict

from annotation.lifecycle.inputs import Deletion, Language, NewCopy
from annotation.studies.inputs import SLUG_TEXT
from annotation.studies.models import Study
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions


class LanguageForm(DataclassForm[Language]):
    """The language of the raters' pages."""

    help_texts = {
        "language": "A rater can choose another one. Your own texts are shown as you wrote them."
    }


class CopyForm(DataclassForm[NewCopy]):
    """The copy's title and short name."""

    help_texts = {"slug": SLUG_TEXT.pattern_help}
    field_order = ("title", "slug")


class DeletionForm(DataclassForm[Deletion]):
    """The study's short name as confirmation, and whether the raters who came by links are paid."""

    only = ("paid",)
    help_texts = {"paid": ""}

    name = forms.CharField(label="Type the study's short name to confirm", max_length=100)

    def __init__(
        self, study: Study, data: QueryDict | None = None, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.slug = study.slug

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"].strip()
        if name != self.slug:
            raise forms.ValidationError(f"Type {self.slug} to confirm: deleting cannot be undone.")
        return name
